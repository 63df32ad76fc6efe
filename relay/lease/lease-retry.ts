/**
 * A failed turn is run again in its place: what it left behind is cut off, its words are sent anew (contract gateway.md 12). Hermes cuts at
 * an ordinal without asking back (Verified 18), so it is counted from rows read a moment before, and only when the last one is the one meant.
 */
import { rowText } from '#protocol/dashboard/message-row.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import { isSamePrompt } from '#protocol/turn/same-prompt.ts'
import type { StoredMessage } from './journal.ts'
import type { LeaseDraft } from './lease-draft.ts'
import type { RowsRead } from './row-reader.ts'

const hasFailed = (status: string | undefined): boolean => status === 'error' || status === 'lost'

/** The words of the last turn when it failed and nothing runs; `null` when it may not be run again. */
export function retryPrompt(view: LiveView, turnId: string): string | null {
  if (view.messages.some((message) => message.state !== 'confirmed' && message.state !== 'steered')) return null
  if (view.turn) return view.turn.turnId === turnId && view.turn.phase === 'ended' && hasFailed(view.turn.outcome?.status) ? view.turn.prompt : null
  const last = view.outcomes.at(-1)
  return last?.turnId === turnId && hasFailed(last.outcome.status) ? last.prompt : null
}

/**
 * Where Hermes cuts. Every row with the role of a person counts, shown or not: counting too many is refused (4018), counting too few
 * would cut more than was meant.
 */
export function cutForRetry(d: LeaseDraft, message: StoredMessage, read: RowsRead): Record<string, unknown> {
  if (!(message.clientMsgId in d.state.retryOf) || read.kind !== 'rows') return {}
  const people = read.rows.filter((row) => row.role === 'user')
  const last = people.at(-1)
  if (!last || !isSamePrompt(rowText(last), message.text)) return {} // Cut already, or never arrived: there is nothing to replace.
  return { truncate_before_user_ordinal: people.length - 1, truncate_before_row_id: last.id, confirm_truncate: true, ...(people.length === 1 ? { confirm_empty_truncate: true } : {}) }
}

/** Hermes took it: the failed turn is gone from its history, so its outcome goes from ours, and the pages read again. */
export function retryTaken(d: LeaseDraft, msgId: string): void {
  const turnId = d.state.retryOf[msgId]
  if (turnId === undefined) return
  d.state.retryOf = Object.fromEntries(Object.entries(d.state.retryOf).filter(([known]) => known !== msgId))
  const outcome = d.state.view.outcomes.find((one) => one.turnId === turnId)
  if (outcome) {
    d.want({ kind: 'save_outcome', outcome: { ...outcome, outcome: { status: 'complete', error: null, warning: null } } })
    d.emit({ kind: 'outcomes', outcomes: d.state.view.outcomes.filter((one) => one.turnId !== turnId) })
  }
  d.emit({ kind: 'history', anchor: d.state.view.historyAnchor, revision: d.state.view.historyRevision + 1 })
}
