/** When the page opens its socket again (contract relay.md 4.7): backoff with full jitter, at once when a person looks. Pure. */
import { CLOSE } from '#protocol/system/system-frame.ts'

/** Longest ordinary pause, in ms. */
export const PAUSE_MAX_MS = 16_000
/** Pause after the relay said "too many attempts", in ms; looking at the page does not shorten it. */
export const RATE_LIMIT_PAUSE_MS = 300_000

export type ReconnectState =
  | { kind: 'off' } | { kind: 'connecting'; attempt: number } | { kind: 'open' }
  | { kind: 'waiting'; attempt: number; pauseMs: number; limited: boolean }
  /** No retry until a person acts. */
  | { kind: 'ended'; why: 'signed_out' | 'outdated' }

export type ReconnectInput =
  | { kind: 'wanted' } | { kind: 'unwanted' } | { kind: 'authenticated' }
  /** `roll`: a random number from 0 to 1 that the edge brings. */
  | { kind: 'lost'; code: number; roll: number }
  | { kind: 'timer_fired' }
  /** The page became visible, or the network came back. */
  | { kind: 'nudged' }

export type ReconnectEffect = { kind: 'open' } | { kind: 'close' } | { kind: 'wait'; ms: number } | { kind: 'stop_waiting' }
type Step = readonly [ReconnectState, ...ReconnectEffect[]]

export const initialReconnect: ReconnectState = { kind: 'off' }

export function stepReconnect(state: ReconnectState, input: ReconnectInput): Step {
  switch (input.kind) {
    case 'wanted': return state.kind === 'off' || state.kind === 'ended' ? [{ kind: 'connecting', attempt: 1 }, { kind: 'open' }] : [state]
    case 'unwanted': return state.kind === 'off' ? [state] : [{ kind: 'off' }, { kind: 'stop_waiting' }, { kind: 'close' }]
    case 'authenticated': return state.kind === 'connecting' ? [{ kind: 'open' }] : [state]
    case 'lost': return state.kind === 'connecting' || state.kind === 'open' ? onLost(state, input.code, input.roll) : [state]
    case 'timer_fired': return state.kind === 'waiting' ? again(state.attempt) : [state]
    case 'nudged': return state.kind === 'waiting' && !state.limited ? [...again(state.attempt), { kind: 'stop_waiting' }] : [state]
  }
}

const again = (attempt: number): readonly [ReconnectState, ReconnectEffect] => [{ kind: 'connecting', attempt: attempt + 1 }, { kind: 'open' }]

function onLost(state: Extract<ReconnectState, { kind: 'connecting' | 'open' }>, code: number, roll: number): Step {
  const attempt = state.kind === 'connecting' ? state.attempt : 0
  switch (code) {
    case CLOSE.auth_failed.code: case CLOSE.revoked.code: return [{ kind: 'ended', why: 'signed_out' }]
    case CLOSE.outdated.code: return [{ kind: 'ended', why: 'outdated' }]
    case CLOSE.rate_limited.code: return [{ kind: 'waiting', attempt, pauseMs: RATE_LIMIT_PAUSE_MS, limited: true }, { kind: 'wait', ms: RATE_LIMIT_PAUSE_MS }]
    case CLOSE.slow_reader.code: if (state.kind === 'open') return [{ kind: 'connecting', attempt: 1 }, { kind: 'open' }]
  }
  const pauseMs = Math.round(Math.min(PAUSE_MAX_MS, 1_000 * 2 ** Math.min(Math.max(attempt - 1, 0), 4)) * roll)
  return [{ kind: 'waiting', attempt, pauseMs, limited: false }, { kind: 'wait', ms: pauseMs }]
}
