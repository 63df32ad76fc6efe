/** When the managed Hermes is started, started again, ended, and given up. Pure: time comes in, orders go out. */
import { unreachable } from '#protocol/refusal/refusal.ts'

/** It is started again so often within `RESTARTS_WITHIN_MS`; then a person has to look. */
export const RESTARTS_MAX = 5
export const RESTARTS_WITHIN_MS = 600_000
export const BACKOFF_FIRST_MS = 500
export const BACKOFF_MS_MAX = 8_000
/** A start that does not answer within this time has failed, in ms. */
export const START_WITHIN_MS = 90_000
/** Between the request to end and the order, in ms. */
export const KILL_AFTER_MS = 8_000

/** What the others hear of it. */
export type Said = 'running' | 'restarting' | 'gave_up' | 'ended'
export type Phase = 'off' | 'starting' | 'running' | 'waiting' | 'stopping' | 'gave_up'
/** `restartsAtMs`: those of the last ten minutes. `isEnding`: a person or the relay wants it gone. */
export type Supervised = { phase: Phase; isEnding: boolean; restartsAtMs: readonly number[] }
export type SuperviseInput =
  | { kind: 'wanted' } | { kind: 'unwanted' } | { kind: 'answered' }
  | { kind: 'exited'; nowMs: number } | { kind: 'timer' }
export type SuperviseEffect = { kind: 'spawn' } | { kind: 'timer'; delayMs: number } | { kind: 'no_timer' } | { kind: 'terminate' } | { kind: 'kill' } | { kind: 'say'; what: Said }

export const SUPERVISED: Supervised = { phase: 'off', isEnding: false, restartsAtMs: [] }
type Step = readonly [Supervised, ...SuperviseEffect[]]

export function stepSupervised(state: Supervised, input: SuperviseInput): Step {
  switch (input.kind) {
    case 'wanted':
      if (state.phase !== 'off' && state.phase !== 'gave_up') return [state]
      return [{ phase: 'starting', isEnding: false, restartsAtMs: [] }, { kind: 'spawn' }, { kind: 'timer', delayMs: START_WITHIN_MS }]
    case 'answered':
      return state.phase === 'starting' ? [{ ...state, phase: 'running' }, { kind: 'no_timer' }, { kind: 'say', what: 'running' }] : [state]
    case 'unwanted':
      if (state.phase === 'starting' || state.phase === 'running') return [{ ...state, phase: 'stopping', isEnding: true }, { kind: 'terminate' }, { kind: 'timer', delayMs: KILL_AFTER_MS }]
      if (state.phase === 'stopping') return [{ ...state, isEnding: true }]
      return [SUPERVISED, { kind: 'no_timer' }, { kind: 'say', what: 'ended' }]
    case 'timer':
      if (state.phase === 'waiting') return [{ ...state, phase: 'starting' }, { kind: 'spawn' }, { kind: 'timer', delayMs: START_WITHIN_MS }]
      // A start that took too long ends like one that was asked to; being not `isEnding`, it counts as a crash.
      if (state.phase === 'starting') return [{ ...state, phase: 'stopping' }, { kind: 'terminate' }, { kind: 'timer', delayMs: KILL_AFTER_MS }]
      return state.phase === 'stopping' ? [state, { kind: 'kill' }] : [state]
    case 'exited':
      if (state.phase === 'off' || state.phase === 'waiting' || state.phase === 'gave_up') return [state]
      if (state.isEnding) return [SUPERVISED, { kind: 'no_timer' }, { kind: 'say', what: 'ended' }]
      return afterCrash(state, input.nowMs)
    default: return unreachable(input)
  }
}

function afterCrash(state: Supervised, nowMs: number): Step {
  const recent = state.restartsAtMs.filter((atMs) => nowMs - atMs < RESTARTS_WITHIN_MS)
  if (recent.length >= RESTARTS_MAX) return [{ phase: 'gave_up', isEnding: false, restartsAtMs: recent }, { kind: 'no_timer' }, { kind: 'say', what: 'gave_up' }]
  const delayMs = Math.min(BACKOFF_MS_MAX, BACKOFF_FIRST_MS * 2 ** recent.length)
  return [{ phase: 'waiting', isEnding: false, restartsAtMs: [...recent, nowMs] }, { kind: 'timer', delayMs }, { kind: 'say', what: 'restarting' }]
}
