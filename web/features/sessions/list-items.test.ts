/** The order of the list, its headings, and what a search leaves. */
import { expect, test } from 'vitest'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { listItems, neighbour } from './list-items.ts'

const NOW = new Date(2026, 11, 1, 12).getTime()
const DAY = 86_400_000
const session = (sessionId: string, daysAgo: number, more: Partial<Session> = {}): Session => ({ sessionId, title: `Title ${sessionId}`, preview: '', source: '', model: '', startedAtMs: 0, activeAtMs: NOW - daysAgo * DAY, messageCount: 1, archived: false, cwd: null, ...more })
const FROM = { waiting: [], pins: [], query: '', hits: [], nowMs: NOW, withDraft: false, withArchived: false }
const shape = (items: ReturnType<typeof listItems>) => items.map((item) => [item.key, item.heading])

test('each day has one heading, at its first row', () => {
  expect(shape(listItems([session('a', 0), session('b', 0), session('c', 1), session('d', 40)], FROM))).toEqual([['a', 'Today'], ['b', null], ['c', 'Yesterday'], ['d', 'Earlier']])
})
test('the chat that is not begun stands first, under today', () => {
  expect(shape(listItems([session('a', 0)], { ...FROM, withDraft: true }))).toEqual([['draft', 'Today'], ['a', null]])
  expect(shape(listItems([session('a', 0)], { ...FROM, withDraft: true, query: 'title' }))).toEqual([['a', 'Today']])
})
test('pinned ones stand on top, above the chat that is not begun, even when they were not read yet', () => {
  const rows = [session('a', 0), session('b', 1)]
  expect(shape(listItems(rows, { ...FROM, withDraft: true, pins: [session('b', 1), session('far', 90)] }))).toEqual([['b', 'Pinned'], ['far', null], ['draft', 'Today'], ['a', null]])
  expect(shape(listItems(rows, { ...FROM, query: 'title a', pins: [session('b', 1)] }))).toEqual([['a', 'Today']])
  expect(shape(listItems(rows, { ...FROM, withArchived: true, pins: [session('b', 1)] }))).toEqual([])
})
test('words that wait in this browser stand above all, are found, and are no second row of what the relay lists', () => {
  const waiting = [{ key: 'draft:a', words: 'Sow the beans', atMs: 1, state: 'waiting' as const }]
  const rows = [session('a', 0), session('draft:a', 0)]
  expect(shape(listItems(rows, { ...FROM, waiting, withDraft: true, pins: [session('b', 1)] }))).toEqual([['draft:a', 'Waiting'], ['b', 'Pinned'], ['draft', 'Today'], ['a', null]])
  expect(shape(listItems(rows, { ...FROM, waiting, query: 'BEANS' }))).toEqual([['draft:a', 'Waiting']])
  expect(shape(listItems(rows, { ...FROM, waiting, query: 'peas' }))).toEqual([])
  expect(shape(listItems(rows, { ...FROM, waiting, withArchived: true }))).toEqual([])
})
test('archived ones are apart', () => {
  const rows = [session('a', 0), session('b', 0, { archived: true })]
  expect(shape(listItems(rows, FROM))).toEqual([['a', 'Today']])
  expect(shape(listItems(rows, { ...FROM, withArchived: true }))).toEqual([['b', 'Today']])
})
test('a search finds title and preview, then messages, each conversation once', () => {
  const rows = [session('a', 0, { title: 'Otters' }), session('b', 0, { preview: 'about OTTERS' }), session('c', 0)]
  const hits = [{ sessionId: 'b', title: '', snippet: [] }, { sessionId: 'z', title: '', snippet: [] }]
  expect(shape(listItems(rows, { ...FROM, query: ' otters ', hits }))).toEqual([['a', 'Today'], ['b', null], ['z', 'In messages']])
})
test('the focus stops at the ends', () => {
  const items = listItems([session('a', 0), session('b', 0), session('c', 0)], FROM)
  expect([neighbour(items, 'a', 'previous'), neighbour(items, 'a', 'next'), neighbour(items, 'c', 'next'), neighbour(items, null, 'next'), neighbour(items, 'b', 'first'), neighbour(items, 'a', 'last'), neighbour([], 'a', 'next')]).toEqual(['a', 'b', 'c', 'a', 'a', 'c', null])
})
