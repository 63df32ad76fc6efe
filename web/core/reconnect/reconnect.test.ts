import { expect, test } from 'vitest'
import { CLOSE } from '#protocol/system/system-frame.ts'
import { initialReconnect, PAUSE_MAX_MS, RATE_LIMIT_PAUSE_MS, type ReconnectState, stepReconnect } from './reconnect.ts'

const lost = (code = 1006, roll = 1) => ({ kind: 'lost', code, roll }) as const

test('pauses double up to the cap and a success resets them', () => {
  let state: ReconnectState = stepReconnect(initialReconnect, { kind: 'wanted' })[0]
  const pauses: number[] = []
  for (let round = 0; round < 7; round += 1) {
    state = stepReconnect(state, lost())[0]
    if (state.kind === 'waiting') pauses.push(state.pauseMs)
    state = stepReconnect(state, { kind: 'timer_fired' })[0]
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000])
  expect(Math.max(...pauses)).toBe(PAUSE_MAX_MS)
  state = stepReconnect(state, { kind: 'authenticated' })[0]
  expect(stepReconnect(state, lost())[0]).toMatchObject({ kind: 'waiting', pauseMs: 1_000 })
})

test('the jitter is full: a roll of nothing reconnects at once', () => {
  expect(stepReconnect({ kind: 'connecting', attempt: 5 }, lost(1006, 0))[0]).toMatchObject({ pauseMs: 0 })
})

test('each close code does what it says', () => {
  const open: ReconnectState = { kind: 'open' }
  expect(stepReconnect(open, lost(CLOSE.auth_failed.code))).toEqual([{ kind: 'ended', why: 'signed_out' }])
  expect(stepReconnect(open, lost(CLOSE.revoked.code))).toEqual([{ kind: 'ended', why: 'signed_out' }])
  expect(stepReconnect(open, lost(CLOSE.outdated.code))).toEqual([{ kind: 'ended', why: 'outdated' }])
  expect(stepReconnect(open, lost(CLOSE.slow_reader.code))[1]).toEqual({ kind: 'open' })
  expect(stepReconnect(open, lost(CLOSE.rate_limited.code))[1]).toEqual({ kind: 'wait', ms: RATE_LIMIT_PAUSE_MS })
})

test('looking at the page replaces an ordinary pause, not the one of the rate limit', () => {
  const waiting = stepReconnect({ kind: 'connecting', attempt: 4 }, lost())[0]
  expect(stepReconnect(waiting, { kind: 'nudged' })[1]).toEqual({ kind: 'open' })
  const limited = stepReconnect({ kind: 'open' }, lost(CLOSE.rate_limited.code))[0]
  expect(stepReconnect(limited, { kind: 'nudged' })).toEqual([limited])
})
