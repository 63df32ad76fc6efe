/**
 * A message whose answer was lost (lease.md 4, rule 3): it is looked for on a new socket, and sent again once, only on proof
 * that it did not arrive: Hermes idle, and two looks some time apart that show no row.
 */
import type { ActiveSession } from './gateway-link.ts'
import { writtenAbove } from './lease-confirm.ts'
import type { LeaseDraft } from './lease-draft.ts'
import { isIdle, rest, type Stage } from './lease-stage.ts'
import type { RowsRead } from './row-reader.ts'

/** Two looks this far apart must both miss the row before a message is resent, in ms. */
export const ABSENCE_MS = 2_000
const DOUBT_PAUSE_MS = 750

/** The answer was lost: the message may have arrived. It is looked for on a new socket (lease.md 4, rule 3). */
export function intoDoubt(d: LeaseDraft, msgId: string, ran: boolean): void {
  const state = d.message(msgId)?.state
  if (state === undefined || state === 'confirmed') return rest(d, 0)
  d.patchMessage(msgId, { state: 'checking' })
  d.state.delivery = { stage: 'doubt', msgId, op: -1, step: 'link', absentAtMs: null, ran }
  if (d.state.link.up) doubtDue(d)
}

/** The next look: is Hermes idle, and does the row exist? */
export function doubtDue(d: LeaseDraft): void {
  const { delivery } = d.state
  if (delivery.stage !== 'doubt' || !d.state.link.up) return
  if (!d.state.view.storedId) return resend(d, delivery) // The conversation was never made: nothing can have arrived.
  d.state.delivery = { ...delivery, step: 'status', op: d.readStatus() }
}

function doubtAgain(d: LeaseDraft, delivery: Stage<'doubt'>, absentAtMs: number | null, pauseMs = DOUBT_PAUSE_MS): void {
  d.state.delivery = { ...delivery, step: 'pause', op: -1, absentAtMs }
  d.timer('doubt', pauseMs)
}

export function doubtStatus(d: LeaseDraft, delivery: Stage<'doubt'>, active: ActiveSession | null, failed: boolean): void {
  if (failed) return doubtAgain(d, delivery, delivery.absentAtMs)
  d.state.liveId = active?.liveId ?? null
  if (active && !isIdle(active)) {
    // Absence proves nothing while Hermes works: the row may still come. The turn is most likely ours, so find back to it.
    if (d.state.recovery.step === 'none' && d.state.boundGen !== d.state.link.gen) d.signal('recover')
    d.state.delivery = { ...delivery, step: 'rows', absentAtMs: null, op: d.readRows(d.message(delivery.msgId)?.baselineRowId ?? null) }
    return
  }
  d.state.delivery = { ...delivery, step: 'rows', absentAtMs: delivery.absentAtMs ?? -1, op: d.readRows(d.message(delivery.msgId)?.baselineRowId ?? null) }
}

export function doubtRows(d: LeaseDraft, delivery: Stage<'doubt'>, read: RowsRead): void {
  if (read.kind === 'failed') return doubtAgain(d, delivery, delivery.absentAtMs === -1 ? null : delivery.absentAtMs)
  if (delivery.absentAtMs === null) return doubtAgain(d, delivery, null) // Hermes was busy when asked.
  if (delivery.absentAtMs === -1) return doubtAgain(d, delivery, d.nowMs, ABSENCE_MS)
  if (d.nowMs - delivery.absentAtMs < ABSENCE_MS) return doubtAgain(d, delivery, delivery.absentAtMs)
  const message = d.message(delivery.msgId)
  // A turn that was seen to run may have changed things, and a row that somebody wrote may be this message in other words: only the person may send that again.
  const unlike = writtenAbove(d, delivery.msgId, read).length > 0
  if (message && message.resends < 1 && !delivery.ran && !unlike) return resend(d, delivery)
  d.patchMessage(delivery.msgId, { state: 'unconfirmed', reason: unlike ? 'The conversation shows a message that reads differently: it may be this one.' : delivery.ran ? 'Hermes began to work on it and then forgot the conversation. Its commands may have run.' : 'The answer of Hermes was lost twice, and the conversation does not show the message.' })
  d.forgetStop()
  rest(d, 0)
}

function resend(d: LeaseDraft, delivery: Stage<'doubt'>): void {
  const message = d.message(delivery.msgId)
  if (message) d.patchMessage(delivery.msgId, { state: 'queued', resends: message.resends + 1, baselineRowId: null })
  d.forgetStop()
  rest(d, 0)
}
