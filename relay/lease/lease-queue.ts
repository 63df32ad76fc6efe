/** What a person does with messages that wait: edit, move, remove, release, decide. And hints to a running turn. */
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import type { StoredMessage } from './journal.ts'
import { drain } from './lease-delivery.ts'
import { isRunning, type LeaseDraft } from './lease-draft.ts'
import type { RpcOutcome } from './rpc-socket.ts'

/** A message is in the journal: it joins the queue, or goes to the running turn as a hint. */
export function messageAccepted(d: LeaseDraft, message: StoredMessage): void {
  const afterLast = d.state.messages.reduce((highest, m) => Math.max(highest, m.position), 0) + 1
  d.state.messages = [...d.state.messages, { ...message, position: afterLast }]
  if (message.state === 'steering') return steer(d, message)
  // A stop holds the queue; a message written after it is meant to go now, unless others wait before it.
  const othersWait = d.state.messages.some((m) => m.state === 'queued' && m.clientMsgId !== message.clientMsgId)
  if (d.state.view.held && !othersWait) d.emitMessages(false)
  d.patchMessage(message.clientMsgId, { position: afterLast })
  drain(d)
}

function steer(d: LeaseDraft, message: StoredMessage): void {
  if (!isRunning(d.state) || !d.state.liveId || !d.state.link.up) return requeue(d, message.clientMsgId)
  d.patchMessage(message.clientMsgId, { state: 'steering' })
  const op = d.rpc('session.steer', { session_id: d.state.liveId, text: message.text })
  d.state.steerOps = { ...d.state.steerOps, [op]: message.clientMsgId }
}

/** Back to the front of the queue, as an ordinary message. */
function requeue(d: LeaseDraft, clientMsgId: string): void {
  const first = d.state.messages.filter((m) => m.state === 'queued').reduce((lowest, m) => Math.min(lowest, m.position), Number.POSITIVE_INFINITY)
  const known = d.message(clientMsgId)
  d.patchMessage(clientMsgId, { state: 'queued', position: Number.isFinite(first) ? first - 1 : (known?.position ?? 0) })
  drain(d)
}

export function steerRpc(d: LeaseDraft, op: number, outcome: RpcOutcome): boolean {
  const clientMsgId = d.state.steerOps[op]
  if (clientMsgId === undefined) return false
  d.state.steerOps = Object.fromEntries(Object.entries(d.state.steerOps).filter(([known]) => Number(known) !== op))
  if (outcome.kind === 'lost' && d.message(clientMsgId)?.state === 'steering') {
    d.patchMessage(clientMsgId, { state: 'unconfirmed', reason: 'The line to Hermes was lost while this hint was on its way.' })
    return true
  }
  const refused = outcome.kind === 'error' || (outcome.kind === 'ok' && outcome.result['status'] === 'rejected')
  if (refused && d.message(clientMsgId)?.state === 'steering') requeue(d, clientMsgId)
  return true
}

/** A tool finished: hints accepted before it went to the model inside its result (Verified 12). */
export function steerSeen(d: LeaseDraft): void {
  const waiting = new Set(Object.values(d.state.steerOps))
  for (const m of d.state.messages) if (m.state === 'steering' && !waiting.has(m.clientMsgId)) d.patchMessage(m.clientMsgId, { state: 'steered' })
}

/** The turn ended without a tool result: what was hinted never arrived, so it is queued again (lease.md 7f). */
export function settleSteers(d: LeaseDraft, stopped: boolean): void {
  const hints = d.state.messages.filter((m) => m.state === 'steering').reverse()
  if (hints.length > 0 && stopped) d.emitMessages(true) // The person stopped this turn: its hint begins no other.
  for (const m of hints) requeue(d, m.clientMsgId)
}

export function messageEdited(d: LeaseDraft, clientMsgId: string, text: string): RefusalCode | null {
  if (text.trim() === '') return 'message_empty'
  if (d.message(clientMsgId)?.state !== 'queued') return 'queue_item_gone'
  d.patchMessage(clientMsgId, { text })
  return null
}

/** Before another queued message, or to the end. */
export function messageMoved(d: LeaseDraft, clientMsgId: string, before: string | null): RefusalCode | null {
  if (d.message(clientMsgId)?.state !== 'queued') return 'queue_item_gone'
  const others = d.state.messages.filter((m) => m.state === 'queued' && m.clientMsgId !== clientMsgId)
  const at = before === null ? others.length : others.findIndex((m) => m.clientMsgId === before)
  if (at < 0) return 'queue_item_gone'
  const low = others[at - 1]?.position
  const high = others[at]?.position
  const position = low === undefined ? (high ?? 1) - 1 : high === undefined ? low + 1 : (low + high) / 2
  d.patchMessage(clientMsgId, { position })
  return null
}

/** Taken back by the person while it still waits, or given up after it failed. */
export function messageRemoved(d: LeaseDraft, clientMsgId: string): RefusalCode | null {
  const state = d.message(clientMsgId)?.state
  if (state !== 'queued' && state !== 'failed' && state !== 'unconfirmed') return 'queue_item_gone'
  d.patchMessage(clientMsgId, { state: 'removed' })
  if (!d.state.messages.some((m) => m.state === 'queued')) d.emitMessages(false)
  d.saveSession()
  return null
}

export function messageResolved(d: LeaseDraft, clientMsgId: string, verdict: 'send_again' | 'arrived' | 'discard'): RefusalCode | null {
  const state = d.message(clientMsgId)?.state
  if (state !== 'unconfirmed' && state !== 'failed') return 'queue_item_gone'
  if (verdict === 'send_again') d.patchMessage(clientMsgId, { state: 'queued', resends: 0, baselineRowId: null, reason: null })
  else d.patchMessage(clientMsgId, { state: verdict === 'arrived' ? 'confirmed' : 'removed' })
  d.dropConfirmed()
  drain(d)
  return null
}

/** Stop keeps what waits: it stays held until the person releases or removes it (lease.md 4). */
export const holdQueue = (d: LeaseDraft): void => d.holdQueue()

export function releaseQueue(d: LeaseDraft): void {
  d.emitMessages(false)
  d.saveSession()
  drain(d)
}
