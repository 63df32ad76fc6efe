/** Watching over a silent turn, and over a conversation that does not run here: safe reads only (lease.md 5). */
import type { ActiveSession } from './gateway-link.ts'
import { expireAsks, raiseMissedAsk } from './lease-asks.ts'
import { deliveryTurnEnded, drain } from './lease-delivery.ts'
import { isBound, isRunning, type LeaseDraft, openAsks } from './lease-draft.ts'
import { isIdle } from './lease-stage.ts'
import { forgetLive, settleIdle, SILENCE_MS, WATCH_MS } from './lease-turn.ts'
import type { RowsRead } from './row-reader.ts'

/** Pause between two looks at a silent turn, in ms. */
export const SILENCE_AGAIN_MS = 5_000
/** While another program runs the conversation it is looked at more often, in ms. */
export const WATCH_ELSEWHERE_MS = 3_000
/** A turn of which we hear nothing is looked at once more before it is said to be another program's, in ms. */
export const FOREIGN_TURN_MS = 2_000

/** The turn has been silent: ask on the main socket, which proves at the same time that this socket lives. */
export function silenceDue(d: LeaseDraft): void {
  if (!isRunning(d.state) || !d.state.link.up || d.state.recovery.step !== 'none') return
  const quietMs = d.nowMs - d.state.lastFactMs
  const limitMs = d.state.silence.checks === 0 ? SILENCE_MS : SILENCE_AGAIN_MS
  if (quietMs < limitMs) {
    d.state.silence = { checks: 0, op: -1, rowIdMax: null }
    return d.timer('silence', SILENCE_MS - quietMs)
  }
  d.state.silence = { ...d.state.silence, op: d.readStatus('main') }
  d.timer('silence', SILENCE_AGAIN_MS)
}

export function silenceStatus(d: LeaseDraft, op: number, active: ActiveSession | null, failed: boolean): boolean {
  if (d.state.silence.op !== op) return false
  if (failed || !isRunning(d.state)) return true
  if (!active) forgetLive(d)
  else if (isIdle(active)) settleIdle(d, true)
  else {
    raiseMissedAsk(d)
    d.state.silence = { ...d.state.silence, op: d.readRows(d.state.rowIdMax) }
  }
  return true
}

/** Rows grew while no event came: another program has the events (lease.md 5, theft). */
export function silenceRows(d: LeaseDraft, op: number, read: RowsRead): void {
  const { silence } = d.state
  if (silence.op !== op || !isRunning(d.state) || read.kind !== 'rows') return
  const quiet = d.nowMs - d.state.lastFactMs >= SILENCE_AGAIN_MS
  const grew = silence.checks > 0 && quiet && silence.rowIdMax !== null && (d.state.rowIdMax ?? 0) > silence.rowIdMax
  d.state.silence = { checks: quiet ? silence.checks + 1 : 0, op: -1, rowIdMax: d.state.rowIdMax }
  if (grew) stolen(d)
}

function stolen(d: LeaseDraft): void {
  d.state.boundGen = null
  d.setOwner('elsewhere')
  d.emit({ kind: 'turn_set', turn: null })
  deliveryTurnEnded(d)
  d.clear('silence')
  d.saveSession()
  d.timer('watch', WATCH_ELSEWHERE_MS)
}

/** Somebody looks at a conversation that does not run here: a safe read tells whether another program uses it. */
export function watchDue(d: LeaseDraft): void {
  const { watch, view, link } = d.state
  if (watch.subscribers === 0 || isRunning(d.state) || !view.storedId) return
  if (link.up) d.state.watch = { ...watch, looks: watch.looks + 1, op: d.readStatus() }
  d.timer('watch', view.owner === 'elsewhere' ? WATCH_ELSEWHERE_MS : WATCH_MS)
}

export function watchStatus(d: LeaseDraft, op: number, active: ActiveSession | null, failed: boolean): boolean {
  const { watch } = d.state
  if (watch.op !== op) return false
  if (failed || isRunning(d.state)) return true
  const busy = active !== null && !isIdle(active)
  if (isForeignTurn(d, active)) d.state.boundGen = null
  if (busy && !isBound(d.state)) d.setOwner('elsewhere')
  else if (!busy && active) d.setOwner(isBound(d.state) ? 'ours' : 'nobody')
  if (!busy && openAsks(d.state).length > 0) expireAsks(d)
  d.state.watch = { ...d.state.watch, op: d.readRows(d.state.rowIdMax), known: d.state.rowIdMax, live: active !== null }
  drain(d)
  return true
}

/**
 * A submit of another program takes the events of a session that was ours, silently (Verified 10): Hermes works, nothing of ours is
 * on its way, and no event comes. Two looks, since an event may be behind the first.
 */
function isForeignTurn(d: LeaseDraft, active: ActiveSession | null): boolean {
  const works = active?.status === 'working' || active?.status === 'waiting'
  const { watch, delivery, lastFactMs } = d.state
  if (!works || !isBound(d.state) || delivery.stage !== 'rest') {
    d.state.watch = { ...watch, unheardAtMs: null }
    return false
  }
  if (watch.unheardAtMs !== null && lastFactMs < watch.unheardAtMs) return true
  d.state.watch = { ...watch, unheardAtMs: d.nowMs }
  d.timer('watch', FOREIGN_TURN_MS)
  return false
}

/**
 * Rows that nobody here wrote: another program uses the conversation. A second Hermes process shows in no list of live
 * sessions (M9), so its rows are the only sign (lease.md 7d).
 */
export function watchRows(d: LeaseDraft, op: number, read: RowsRead): void {
  const { watch } = d.state
  if (watch.op !== op || read.kind !== 'rows' || isRunning(d.state) || watch.live) return
  const { known } = watch
  const foreign = known !== null && read.rows.some((row) => row.id > known && row.role === 'user')
  d.setOwner(foreign ? 'elsewhere' : 'nobody')
}
