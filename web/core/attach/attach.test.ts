import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import { emptyView, type LiveView, type NumberedEvent, stepView, type ViewEvent } from '#protocol/live/live-view.ts'
import { newTurn } from '#protocol/turn/turn-fold.ts'
import { type AttachEffect, type AttachInput, type AttachState, HELD_EVENTS_MAX, initialAttach, stepAttach, TAILS_IN_VAIN_MAX } from './attach.ts'

const SESSION = 's1'
const turn = newTurn({ turnId: 't', origin: 'ours', clientMsgId: null, prompt: 'p', startedAtMs: 0 })
const text = (word: string): ViewEvent => ({ kind: 'turn', event: { kind: 'text', text: word } })
const eventFrame = (epoch: string, event: NumberedEvent): LiveRelayFrame => ({ type: 'live.event', payload: { session: SESSION, epoch, ...event } })
const snapshot = (epoch: string, seq: number, view: LiveView): LiveRelayFrame => ({ type: 'live.snapshot', payload: { session: SESSION, epoch, seq, now_ms: 0, view } })
const frame = (f: LiveRelayFrame): AttachInput => ({ kind: 'frame', frame: f, nowMs: 0 })

/** A relay with a ring: it answers attaches and loses or repeats what the schedule says. */
function createWorld() {
  let epoch = 'e1'
  let view: LiveView = { ...emptyView(SESSION), turn }
  let ring: NumberedEvent[] = []
  let seq = 0
  let words = 0
  let page: AttachState = initialAttach(SESSION)
  const give = (input: AttachInput): void => {
    const [next, ...effects] = stepAttach(page, input)
    page = next
    for (const effect of effects) carry(effect)
  }
  const carry = (effect: AttachEffect): void => {
    if (effect.kind !== 'attach') return
    const oldest = (ring[0]?.seq ?? seq + 1) - (ring[0]?.n ?? 1)
    if (effect.epoch === epoch && effect.after !== null && effect.after >= oldest) {
      give(frame({ type: 'live.events', payload: { session: SESSION, epoch, now_ms: 0, events: ring.filter((e) => e.seq > (effect.after ?? 0)) } }))
    } else give(frame(snapshot(epoch, seq, view)))
  }
  const emit = (n: number): NumberedEvent => {
    const event = text(` w${words++}`)
    view = stepView(view, event)
    seq += n
    const numbered = { seq, n, event }
    ring = [...ring, numbered].slice(-6)
    return numbered
  }
  return {
    apply(fault: Fault): void {
      switch (fault) {
        case 'deliver': return give(frame(eventFrame(epoch, emit(1))))
        case 'deliver_merged': return give(frame(eventFrame(epoch, emit(3))))
        case 'lose': emit(1); return
        case 'repeat': { const last = ring.at(-1); if (last) give(frame(eventFrame(epoch, last))); return }
        case 'link_drop': give({ kind: 'link_down' }); return
        case 'link_back': give({ kind: 'link_up' }); return
        case 'relay_restart': epoch = `${epoch}x`; ring = []; seq = 0; return
        case 'leave': give({ kind: 'closed' }); return
        case 'return': give({ kind: 'opened' }); return
        case 'other_tab_snapshot': give(frame(snapshot(epoch, seq, view)))
      }
    },
    settle(): void {
      give({ kind: 'opened' }); give({ kind: 'link_down' }); give({ kind: 'link_up' })
      give(frame(eventFrame(epoch, emit(1))))
    },
    page: () => page, truth: () => view,
  }
}
const FAULTS = ['deliver', 'deliver_merged', 'lose', 'repeat', 'link_drop', 'link_back', 'relay_restart', 'leave', 'return', 'other_tab_snapshot'] as const
type Fault = (typeof FAULTS)[number]

test('I7: whatever is lost or repeated, the page ends with the relay’s view', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom<Fault>(...FAULTS), { maxLength: 60 }), (faults) => {
    const world = createWorld()
    for (const fault of ['return', 'link_back', ...faults] as Fault[]) world.apply(fault)
    world.settle()
    expect(world.page().view).toEqual(world.truth())
  }), { seed: 20_261_130, numRuns: 400 })
})

test('no word is ever shown twice or out of order on the way', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom<Fault>(...FAULTS), { maxLength: 60 }), (faults) => {
    const world = createWorld()
    for (const fault of ['return', 'link_back', ...faults] as Fault[]) {
      world.apply(fault)
      const block = world.page().view.turn?.blocks[0]
      if (block?.kind !== 'text') continue
      const numbers = [...block.text.matchAll(/w(\d+)/g)].map((match) => Number(match[1]))
      expect(numbers).toEqual(numbers.map((_, index) => index))
    }
  }), { seed: 20_261_130, numRuns: 300 })
})

const live = (): AttachState => {
  const [opened] = stepAttach(initialAttach(SESSION), { kind: 'opened' })
  const [linked] = stepAttach(opened, { kind: 'link_up' })
  return stepAttach(linked, frame(snapshot('e1', 5, { ...emptyView(SESSION), turn })))[0]
}

describe('the door', () => {
  test('a hole asks from what the page has', () => {
    const [state, effect] = stepAttach(live(), frame(eventFrame('e1', { seq: 8, n: 1, event: text('x') })))
    expect(effect).toEqual({ kind: 'attach', session: SESSION, epoch: 'e1', after: 5 })
    expect(state.phase).toBe('attaching')
  })
  test('tails in vain end in a snapshot', () => {
    let state = live()
    let last: AttachEffect | undefined
    for (let turnNo = 0; turnNo <= TAILS_IN_VAIN_MAX; turnNo += 1) {
      const [next, effect] = stepAttach(state, frame({ type: 'live.events', payload: { session: SESSION, epoch: 'e1', now_ms: 0, events: [{ seq: 9, n: 1, event: text('x') }] } }))
      state = next
      last = effect
    }
    expect(last).toEqual({ kind: 'attach', session: SESSION, epoch: null, after: null })
  })
  test('late frames of a conversation that was left do nothing', () => {
    const [left, effect] = stepAttach(live(), { kind: 'closed' })
    expect(effect).toEqual({ kind: 'detach', session: SESSION })
    expect(stepAttach(left, frame(eventFrame('e1', { seq: 6, n: 1, event: text('x') })))).toEqual([left])
  })
  test('a stub is fetched, what follows waits for it, and more than the bound asks for a snapshot', () => {
    const [waiting, effect] = stepAttach(live(), frame(eventFrame('e1', { seq: 6, n: 1, event: { kind: 'stub', bytes: 1, href: '/x' } })))
    expect(effect).toEqual({ kind: 'fetch', seq: 6, href: '/x' })
    const [held] = stepAttach(waiting, frame(eventFrame('e1', { seq: 7, n: 1, event: text('b') })))
    expect(held.seq).toBe(5)
    const [done] = stepAttach(held, { kind: 'fetched', seq: 6, event: text('a') })
    expect(done.view.turn?.blocks).toEqual([{ kind: 'text', text: 'ab', sealed: false }])
    const many = Array.from({ length: HELD_EVENTS_MAX + 1 }, (_, index) => ({ seq: 7 + index, n: 1, event: text('b') }))
    const [, again] = stepAttach(waiting, frame({ type: 'live.events', payload: { session: SESSION, epoch: 'e1', now_ms: 0, events: many } }))
    expect(again).toEqual({ kind: 'attach', session: SESSION, epoch: null, after: null })
  })
})
