import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST_OVERLAP, LIST_PAGE_MAX, LIST_ROWS_MAX, nextPage } from './list-window.ts'
import { parseMessagePage, rowText } from './message-row.ts'
import { parseSearchHits, parseSnippet, SNIPPET_MAX } from './search-hit.ts'
import { parseSessionList, timeMs } from './session-row.ts'

test.each([[0, [100, 0]], [100, [100, 90]], [190, [100, 180]], [19_999, [11, 19_989]], [LIST_ROWS_MAX, null]])('after %i rows comes %j', (rows, page) => {
  expect(nextPage(rows)).toEqual(page)
})

test('page after page reaches the most rows and stops; pages overlap', () => {
  let rows = 0
  let requests = 0
  for (let page = nextPage(rows); page; page = nextPage(rows)) {
    expect(page[0]).toBeLessThanOrEqual(LIST_PAGE_MAX)
    rows = page[1] + page[0]
    requests += 1
  }
  expect([rows, requests]).toEqual([LIST_ROWS_MAX, Math.ceil((LIST_ROWS_MAX - LIST_OVERLAP) / (LIST_PAGE_MAX - LIST_OVERLAP))])
})

test('hits of a search: one for each conversation, the words found apart', () => {
  const hits = parseSearchHits({ results: [{ session_id: 'a', snippet: 'the >>>disk<<< is\n full', title: null }, { session_id: 'a', snippet: 'again' }, { session_id: 7, title: 'Seven' }, { nothing: 1 }] })
  expect(hits).toEqual([
    { sessionId: 'a', title: '', snippet: [{ text: 'the ', isHit: false }, { text: 'disk', isHit: true }, { text: ' is full', isHit: false }] },
    { sessionId: '7', title: 'Seven', snippet: [] },
  ])
  for (const body of [null, [], {}, { results: 'no' }]) expect(parseSearchHits(body)).toBeNull()
  expect(parseSnippet(`${'x'.repeat(SNIPPET_MAX)}more`).map((part) => part.text.length)).toEqual([SNIPPET_MAX])
  expect(parseSnippet('half >>>open')).toEqual([{ text: 'half open', isHit: false }])
})

const row = (id: string | number, more: object = {}) => ({ id, started_at: 100, ...more })

test.each(['sessions', 'items', 'data'])('the list is found under %s', (key) => { expect(parseSessionList({ [key]: [row('a')] }).map((s) => s.sessionId)).toEqual(['a']) })

test('a bare array is a list; what is no list is empty', () => {
  expect(parseSessionList([row(7)]).map((s) => s.sessionId)).toEqual(['7'])
  for (const body of [null, undefined, 'x', { sessions: 'no' }, {}]) expect(parseSessionList(body)).toEqual([])
})

test('first occurrence of an id wins, newest activity comes first, unreadable rows are skipped', () => {
  const list = parseSessionList({ sessions: [row('old', { last_active: 200 }), row('new', { last_active: 300 }), row('old', { last_active: 900, title: 'repeat' }), { title: 'no id' }, row('never', {})] })
  expect(list.map((s) => [s.sessionId, s.activeAtMs])).toEqual([['new', 300_000], ['old', 200_000], ['never', 100_000]])
})

test('flags may be bool, number or text; absent words are empty, not "null"', () => {
  const list = parseSessionList([row('a', { archived: 1, title: null }), row('b', { archived: '0' }), row('c', { archived: false }), row('d', { archived: true, preview: 'hi' })])
  expect(list.map((s) => [s.sessionId, s.archived, s.title, s.preview])).toEqual([['a', true, '', ''], ['b', false, '', ''], ['c', false, '', ''], ['d', true, '', 'hi']])
})

test.each([[1_796_069_888.35, 1_796_069_888_350], [1_796_069_888_350, 1_796_069_888_350], ['2026-11-30T20:18:08Z', 1_796_069_888_000], ['soon', 0], [null, 0], [Number.NaN, 0]])('time %j is %j ms', (value, ms) => {
  expect(timeMs(value)).toBeCloseTo(ms, 0)
})

const message = (id: number, more: object = {}) => ({ id, role: 'user', content: `m${id}`, active: 1, ...more })

test('a page: pagination as 0.19.0 gives it, none on older ones, rows that were rewound are left out and counted', () => {
  const page = parseMessagePage({ session_id: 's', messages: [message(1), message(2, { active: 0 }), { id: 'x' }], pagination: { limit: 3, offset: 0, returned: 3 } })
  expect(page).toMatchObject({ sessionId: 's', skipped: 2, pagination: { limit: 3, offset: 0, returned: 3 } })
  expect(page?.rows.map((r) => r.id)).toEqual([1])
  expect(parseMessagePage({ messages: [] })).toEqual({ sessionId: null, rows: [], slots: [], skipped: 0, pagination: null })
  expect(parseMessagePage({ messages: [], pagination: null })?.pagination).toBeNull()
  expect(parseMessagePage({ messages: [], pagination: { limit: null, offset: 0, returned: 0 } })?.pagination?.limit).toBeNull() // 0.19.0 without a limit.
  for (const body of [null, [], { messages: 'no' }, 'x', { detail: 'Session not found' }]) expect(parseMessagePage(body)).toBeNull()
})

test('the words of a row', () => {
  const of = (content: unknown) => rowText(parseMessagePage({ messages: [message(1, { content })] })!.rows[0]!)
  expect([of('plain'), of(null), of([{ type: 'text', text: 'a' }, { type: 'image_url' }, null, { type: 'text', text: 'b' }]), of({ text: 'odd' })]).toEqual(['plain', '', 'a\nb', ''])
})

test('both doors are total on any JSON', () => {
  fc.assert(fc.property(fc.jsonValue(), (body) => {
    parseSessionList(body)
    parseMessagePage(body)
    parseMessagePage({ messages: [body] })
    parseSessionList([body])
  }), { seed: 20_261_130, numRuns: 1_000 })
})
