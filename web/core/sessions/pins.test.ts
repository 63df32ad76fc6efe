/** Pins: bounded, refreshed by what is read, dropped only when it is sure that they are gone. */
import { expect, test } from 'vitest'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { isPinned, PINS_MAX, pinnedFirst, refreshPins, togglePin, type Pins } from './pins.ts'

const session = (sessionId: string, activeAtMs: number, title = sessionId): Session => ({ sessionId, title, preview: '', source: '', model: '', startedAtMs: 0, activeAtMs, messageCount: 1, archived: false, cwd: null })
const ids = (rows: readonly Session[]) => rows.map((row) => row.sessionId)

test('pinned and taken off again', () => {
  const pins = togglePin([], session('a', 1)) as Pins
  expect([isPinned(pins, 'a'), isPinned(pins, 'b')]).toEqual([true, false])
  expect(togglePin(pins, session('a', 9))).toEqual([])
})
test('at most so many, and taking one off still works', () => {
  const full = Array.from({ length: PINS_MAX }, (_, index) => session(`s${index}`, index))
  expect(togglePin(full, session('one more', 1))).toBeNull()
  expect(togglePin(full, full[0] as Session)).toHaveLength(PINS_MAX - 1)
})
test('a read list renews the words of a pin', () => {
  expect(refreshPins([session('a', 1)], [session('a', 5, 'renamed')], false)).toEqual([session('a', 5, 'renamed')])
})
test('a pin from further down stays until the list was read that far', () => {
  const pins = [session('old', 1)]
  expect(refreshPins(pins, [session('b', 50), session('c', 40)], false)).toBe(pins)
  expect(refreshPins(pins, [session('b', 50), session('c', 40)], true)).toEqual([])
  expect(refreshPins([session('gone', 45)], [session('b', 50), session('c', 40)], false)).toEqual([])
  expect(refreshPins(pins, [], true)).toEqual([])
})
test('nothing new: the very same pins, so that nothing is drawn or written', () => {
  const pins = [session('a', 5)]
  expect(refreshPins(pins, [session('a', 5)], true)).toBe(pins)
})
test('on top by activity, the others without them', () => {
  const { pinned, rest } = pinnedFirst([session('c', 30), session('b', 20), session('a', 10)], [session('z', 1), session('a', 9)])
  expect([ids(pinned), ids(rest)]).toEqual([['a', 'z'], ['c', 'b']])
  expect(pinned[0]?.activeAtMs).toBe(10)
})
