import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACCEPTED_MAX, initialOutbox, OUTBOX_MAX, type OutboxEffect, type OutboxInput, type OutboxMessage, type OutboxState, stepOutbox } from './outbox.ts'

const message = (n: number): OutboxMessage => ({ clientMsgId: `message-${n}`, session: 's', text: `text ${n}`, options: null, atMs: n })
const FAULTS = ['write', 'write_unstorable', 'relay_takes', 'relay_takes_reply_lost', 'link_up', 'link_down', 'reload'] as const
type Fault = (typeof FAULTS)[number]

/** A browser with a disk, a link and a relay with a journal. */
function createWorld() {
  let page: OutboxState = initialOutbox
  const disk = new Map<string, OutboxMessage>()
  const wire: OutboxMessage[] = []
  const journal: string[] = []
  const written: string[] = []
  const returned: string[] = []
  let n = 0
  let storable = true
  const give = (input: OutboxInput): void => {
    const [next, ...effects] = stepOutbox(page, input)
    page = next
    for (const effect of effects) carry(effect)
  }
  const carry = (effect: OutboxEffect): void => {
    switch (effect.kind) {
      case 'store':
        if (storable) disk.set(effect.message.clientMsgId, effect.message)
        return give({ kind: storable ? 'stored' : 'store_failed', clientMsgId: effect.message.clientMsgId })
      case 'send':
        expect(disk.has(effect.message.clientMsgId), 'stored before it is sent').toBe(true)
        wire.push(effect.message)
        return
      case 'forget': disk.delete(effect.clientMsgId); return
      case 'return_text': returned.push(effect.message.clientMsgId)
    }
  }
  const relayTakes = (): string | undefined => {
    const got = wire.shift()
    if (got && !journal.includes(got.clientMsgId)) journal.push(got.clientMsgId) // UNIQUE
    return got?.clientMsgId
  }
  return {
    apply(fault: Fault): void {
      switch (fault) {
        case 'write': case 'write_unstorable': {
          storable = fault === 'write'
          const next = message(n++)
          written.push(next.clientMsgId)
          return give({ kind: 'written', message: next })
        }
        case 'relay_takes': { const id = relayTakes(); if (id) give({ kind: 'accepted', clientMsgId: id }); return }
        case 'relay_takes_reply_lost': relayTakes(); return
        case 'link_up': return give({ kind: 'link_up' })
        case 'link_down': wire.length = 0; return give({ kind: 'link_down' })
        case 'reload':
          wire.length = 0
          page = initialOutbox
          give({ kind: 'loaded', messages: [...disk.values()] })
      }
    },
    settle(): void {
      give({ kind: 'link_down' }); wire.length = 0; give({ kind: 'link_up' })
      while (wire.length > 0) this.apply('relay_takes')
    },
    journal, written, returned, disk, page: () => page,
  }
}

test('every message reaches the journal once and in order, or returns to the composer', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom<Fault>(...FAULTS), { maxLength: 80 }), (faults) => {
    const world = createWorld()
    for (const fault of faults) world.apply(fault)
    world.settle()
    expect([...world.journal, ...world.returned].sort()).toEqual([...world.written].sort())
    expect(world.journal).toEqual(world.written.filter((id) => world.journal.includes(id)))
    expect(world.disk.size).toBe(0)
  }), { seed: 20_261_130, numRuns: 500 })
})

test('a full outbox gives the text back', () => {
  let state = initialOutbox
  for (let n = 0; n < OUTBOX_MAX; n += 1) state = stepOutbox(state, { kind: 'written', message: message(n) })[0]
  const [same, effect] = stepOutbox(state, { kind: 'written', message: message(OUTBOX_MAX) })
  expect(same).toBe(state)
  expect(effect).toMatchObject({ kind: 'return_text', reason: 'full' })
})

test('accepted messages are remembered until seen, and not without bound', () => {
  let state = initialOutbox
  for (let n = 0; n < ACCEPTED_MAX + 5; n += 1) {
    state = stepOutbox(state, { kind: 'written', message: message(n) })[0]
    state = stepOutbox(state, { kind: 'accepted', clientMsgId: `message-${n}` })[0]
  }
  expect(state.entries).toHaveLength(ACCEPTED_MAX)
  expect(stepOutbox(state, { kind: 'seen', clientMsgIds: state.entries.map((e) => e.clientMsgId) })[0].entries).toEqual([])
})

test('a refused message waits for a person, also over reconnects', () => {
  let state = stepOutbox({ ...initialOutbox, linkUp: true }, { kind: 'written', message: message(1) })[0]
  state = stepOutbox(state, { kind: 'stored', clientMsgId: 'message-1' })[0]
  state = stepOutbox(state, { kind: 'refused', clientMsgId: 'message-1', say: 'no', next: 'wait' })[0]
  const [again, ...effects] = stepOutbox(state, { kind: 'link_up' })
  expect(effects).toEqual([])
  expect(again.entries[0]?.phase).toBe('refused')
  expect(stepOutbox(again, { kind: 'send_again', clientMsgId: 'message-1' })[1]?.kind).toBe('send')
})
