/** The row of an accepted message: looked for until it is there (lease.md 4, rule 2). An acknowledgement alone proves nothing (M2). */
import { type MessageRow, rowText } from '#protocol/dashboard/message-row.ts'
import { isSamePrompt, isServerNotice } from '#protocol/turn/same-prompt.ts'
import type { LeaseDraft } from './lease-draft.ts'
import { rest, type Stage } from './lease-stage.ts'
import type { RowsRead } from './row-reader.ts'

/** Pauses between looks for the row of an accepted message, in ms; the last one repeats (M1: 0.1 s warm, 0.7 s cold). */
export const CONFIRM_PAUSES_MS = [150, 350, 700, 1_500, 3_000, 6_000, 10_000] as const
/** Looks in vain after the end of the turn before an unlike row is taken for the message. */
const REWRITTEN_AFTER = 2

/** The confirm timer fired: look for the row. */
export function confirmDue(d: LeaseDraft): void {
  const { delivery } = d.state
  if (delivery.stage !== 'confirm') return
  d.state.delivery = { ...delivery, op: d.readRows(d.message(delivery.msgId)?.baselineRowId ?? null) }
}

/** Not found: looked for again. A turn that ran and ended is proof that it arrived, so then its row is the first that a person wrote. */
export function confirmMissed(d: LeaseDraft, delivery: Stage<'confirm'>, read: RowsRead): void {
  const reads = delivery.reads + 1
  const rewritten = delivery.turnEnded && reads >= REWRITTEN_AFTER ? writtenAbove(d, delivery.msgId, read)[0] : undefined
  if (rewritten) return confirm(d, delivery.msgId, rewritten.id)
  if (delivery.turnEnded && reads >= 6) {
    d.patchMessage(delivery.msgId, { state: 'failed', reason: 'Hermes took the message but did not keep it in the conversation.' })
    return rest(d, 0)
  }
  d.state.delivery = { ...delivery, op: -1, reads }
  d.timer('confirm', CONFIRM_PAUSES_MS[Math.min(reads, CONFIRM_PAUSES_MS.length - 1)] ?? 10_000)
}

/** Confirmed when a row above the baseline holds this text (lease.md 4, rule 2), verbatim or as Hermes rewrites references. */
export function confirmFrom(d: LeaseDraft, read: RowsRead): void {
  const { delivery } = d.state
  if (read.kind !== 'rows' || (delivery.stage !== 'confirm' && delivery.stage !== 'doubt' && delivery.stage !== 'submit')) return
  const message = d.message(delivery.msgId)
  if (!message) return
  const baseline = message.baselineRowId ?? 0
  const row = read.rows.find((r) => r.role === 'user' && r.id > baseline && isSamePrompt(rowText(r), message.text))
  if (!row) return
  if (delivery.stage !== 'submit') return confirm(d, delivery.msgId, row.id)
  d.patchMessage(delivery.msgId, { state: 'confirmed', rowId: row.id, reason: null }) // Its answer is still to come; it settles the delivery.
}

function confirm(d: LeaseDraft, msgId: string, rowId: number): void {
  d.patchMessage(msgId, { state: 'confirmed', rowId, reason: null })
  d.state.delivery = { stage: 'rest' }
  d.clear('confirm')
  d.clear('doubt')
  d.timer('drain', 0)
}

/** Rows above the message's baseline that a person wrote. While there is one, nobody may say that the message did not arrive. */
export function writtenAbove(d: LeaseDraft, msgId: string, read: RowsRead): MessageRow[] {
  const baseline = d.message(msgId)?.baselineRowId ?? 0
  return read.kind === 'rows' ? read.rows.filter((row) => row.role === 'user' && row.id > baseline && !isServerNotice(rowText(row))) : []
}
