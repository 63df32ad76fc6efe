/** Layers and the history in step: whatever is opened, closed and walked in whatever order, no entry is left behind. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { initialLayers, isSettled, LAYERS_MAX, type LayersInput, type LayersState, stepLayers } from './layers.ts'

/** A browser with one history; moves arrive only when `arrive` is said. */
function world(entries = 0) {
  let state: LayersState = initialLayers(entries)
  const closed: number[] = []
  const history = { at: entries, moves: [] as number[] }
  const step = (input: LayersInput): void => {
    const [next, ...effects] = stepLayers(state, input)
    state = next
    for (const effect of effects) {
      if (effect.kind === 'close') closed.push(effect.id)
      if (effect.kind === 'add_entry') { history.at += 1; expect(effect.entries).toBe(history.at) }
      if (effect.kind === 'go_back') history.moves.push(effect.by)
    }
  }
  const arrive = (): void => { const by = history.moves.shift(); if (by !== undefined) { history.at -= by; step({ kind: 'arrived', entries: history.at }) } }
  const settle = (): void => { for (let turn = 0; turn < 10; turn += 1) { step({ kind: 'settle_due' }); arrive() } }
  return { step, arrive, settle, closed, history, state: () => state, back: () => { if (history.at > 0 && history.moves.length === 0) { history.at -= 1; step({ kind: 'arrived', entries: history.at }) } } }
}

test('Back closes the top layer and takes no other', () => {
  const one = world()
  one.step({ kind: 'opened', id: 1 })
  one.step({ kind: 'opened', id: 2 })
  one.settle()
  expect(one.history.at).toBe(2)
  one.back()
  expect(one.closed).toEqual([2])
  expect(one.state()).toEqual({ ids: [1], entries: 1, moving: false })
})

test('Escape closes the top layer and its entry goes', () => {
  const one = world()
  one.step({ kind: 'opened', id: 1 })
  one.settle()
  one.step({ kind: 'escape_pressed' })
  expect(one.closed).toEqual([1])
  one.settle()
  expect(one.history.at).toBe(0)
  one.step({ kind: 'escape_pressed' })
  expect(one.closed).toEqual([1])
})

test('one that closes while another opens hands its entry on', () => {
  const one = world()
  one.step({ kind: 'opened', id: 1 })
  one.settle()
  one.step({ kind: 'closed', id: 1 })
  one.step({ kind: 'settle_due' }) // The move back is on its way
  one.step({ kind: 'opened', id: 2 }) // when the next one opens.
  one.step({ kind: 'settle_due' })
  one.settle()
  expect(one.closed).toEqual([])
  expect([one.history.at, isSettled(one.state())]).toEqual([1, true])
})

test('entries that a reload left behind are walked over', () => {
  const one = world(2)
  one.settle()
  expect(one.history.at).toBe(0)
})

test('of more layers than the most, the oldest closes', () => {
  const one = world()
  for (let id = 0; id <= LAYERS_MAX; id += 1) one.step({ kind: 'opened', id })
  expect(one.closed).toEqual([0])
  expect(one.state().ids).toHaveLength(LAYERS_MAX)
})

test('however it goes, once it is quiet there is one entry for each layer', () => {
  const action = fc.oneof(fc.record({ kind: fc.constant('opened' as const), id: fc.nat(5) }), fc.record({ kind: fc.constant('closed' as const), id: fc.nat(5) }), fc.constantFrom('escape', 'settle', 'arrive', 'back'))
  fc.assert(fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
    const one = world()
    for (const each of actions) {
      if (each === 'escape') one.step({ kind: 'escape_pressed' })
      else if (each === 'settle') one.step({ kind: 'settle_due' })
      else if (each === 'arrive') one.arrive()
      else if (each === 'back') one.back()
      else one.step(each)
    }
    one.settle()
    expect([one.history.at, isSettled(one.state())]).toEqual([one.state().ids.length, true])
  }), { seed: 20_261_201, numRuns: 500 })
})
