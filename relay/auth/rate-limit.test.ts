/** Ruling 20, row by row. */
import { expect, test } from 'vitest'
import { BLOCK_MS, FAILURES_MAX, RATE_ROWS_MAX, RateLimit, WINDOW_MS } from './rate-limit.ts'

test.each(['session', 'refresh', 'code'] as const)('%s: blocked exactly at its bound, free when the block has passed', (kind) => {
  const limit = new RateLimit()
  for (let n = 1; n < FAILURES_MAX[kind]; n++) limit.fail('10.0.0.9', kind, 'abcdefgh', 1_000)
  expect(limit.isBlocked('10.0.0.9', kind, 'abcdefgh', 1_000)).toBe(false)
  limit.fail('10.0.0.9', kind, 'abcdefgh', 1_000)
  expect(limit.isBlocked('10.0.0.9', kind, 'abcdefgh', 1_000)).toBe(true)
  expect(limit.isBlocked('10.0.0.9', kind, 'abcdefgh', 1_000 + BLOCK_MS[kind])).toBe(false)
})

test('a stale tab blocks its own token only: another token, kind or address passes', () => {
  const limit = new RateLimit()
  for (let n = 0; n < FAILURES_MAX.session; n++) limit.fail('127.0.0.1', 'session', 'stale123', 0)
  expect(limit.isBlocked('127.0.0.1', 'session', 'stale123', 1)).toBe(true)
  expect(limit.isBlocked('127.0.0.1', 'session', 'owner123', 1)).toBe(false)
  expect(limit.isBlocked('127.0.0.1', 'code', 'stale123', 1)).toBe(false)
  expect(limit.isBlocked('127.0.0.2', 'session', 'stale123', 1)).toBe(false)
})

test('guessed codes share one row, however they begin', () => {
  const limit = new RateLimit()
  for (let n = 0; n < FAILURES_MAX.code; n++) limit.fail('10.0.0.9', 'code', `GUESS${n}`, 0)
  expect(limit.isBlocked('10.0.0.9', 'code', 'OTHER1', 1)).toBe(true)
})

test('failures older than the window are forgotten', () => {
  const limit = new RateLimit()
  for (let n = 0; n < FAILURES_MAX.session - 1; n++) limit.fail('a', 'session', 'p', 0)
  limit.fail('a', 'session', 'p', WINDOW_MS)
  expect(limit.isBlocked('a', 'session', 'p', WINDOW_MS)).toBe(false)
})

test('success forgives the row, a fresh code forgives all', () => {
  const limit = new RateLimit()
  for (let n = 0; n < FAILURES_MAX.session; n++) limit.fail('a', 'session', 'p', 0)
  limit.succeed('a', 'session', 'p')
  expect(limit.isBlocked('a', 'session', 'p', 0)).toBe(false)
  for (let n = 0; n < FAILURES_MAX.session; n++) limit.fail('a', 'session', 'p', 0)
  limit.clear()
  expect(limit.isBlocked('a', 'session', 'p', 0)).toBe(false)
})

test('the table never grows past RATE_ROWS_MAX', () => {
  const limit = new RateLimit()
  for (let n = 0; n < RATE_ROWS_MAX + 100; n++) limit.fail(`10.0.${n >> 8}.${n & 255}`, 'session', 'p', n)
  expect(limit.size).toBe(RATE_ROWS_MAX)
})
