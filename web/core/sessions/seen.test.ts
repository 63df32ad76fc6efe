/** News since a conversation was last open here. */
import { expect, test } from 'vitest'
import { isNews, markSeen, parseSeen, SEEN_MAX, type Seen } from './seen.ts'

const START: Seen = { sinceMs: 100, atMs: [] }

test('what happened after it was open, or after this browser began, is news', () => {
  const seen = markSeen(START, 'a', 300)
  expect([isNews(seen, 'a', 300), isNews(seen, 'a', 301), isNews(seen, 'b', 100), isNews(seen, 'b', 101)]).toEqual([false, true, false, true])
  expect(isNews(markSeen(seen, 'a', 400), 'a', 301)).toBe(false)
})

test('the longest unseen is forgotten and is no news again', () => {
  let seen = START
  for (let index = 0; index <= SEEN_MAX; index += 1) seen = markSeen(seen, `s${index}`, 1_000 + index)
  expect(seen.atMs).toHaveLength(SEEN_MAX)
  expect([isNews(seen, 's0', 1_000), isNews(seen, 's1', 1_001), isNews(seen, 's1', 2_000)]).toEqual([false, false, true])
})

test('what is not ours is not read', () => {
  for (const raw of [null, undefined, 7, {}, { sinceMs: 'x', atMs: [] }, { sinceMs: 1, atMs: [['a']] }]) expect(parseSeen(raw)).toBeNull()
  expect(parseSeen(markSeen(START, 'a', 5))).toEqual({ sinceMs: 100, atMs: [['a', 5]] })
})
