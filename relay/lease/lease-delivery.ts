/**
 * Getting one message into Hermes exactly once, or saying that nobody knows (lease.md 4). Journal first, one at a time, only when
 * Hermes is idle; confirmed by its row; after a lost answer resent once, and only on proof that it did not arrive.
 */
import { invariant } from '#protocol/refusal/refusal.ts'
import type { ActiveSession } from './gateway-link.ts'
import type { StoredMessage } from './journal.ts'
import { CONFIRM_PAUSES_MS, confirmFrom, confirmMissed } from './lease-confirm.ts'
import { doubtRows, doubtStatus, intoDoubt } from './lease-doubt.ts'
import { isRunning, type LeaseDraft } from './lease-draft.ts'
import { cutForRetry, retryTaken } from './lease-retry.ts'
import { optionWishes } from './lease-settings.ts'
import { isIdle, rest, type Stage } from './lease-stage.ts'
import type { Preparing, RpcWish } from './lease-state.ts'
import type { RowsRead } from './row-reader.ts'
import type { RpcOutcome } from './rpc-socket.ts'

/** Pause before Hermes is asked again whether it is idle, in ms. */
export const BUSY_PAUSE_MS = 500
/** A message goes back to the queue at most this often when Hermes forgets its live session in between. */
export const REQUEUES_MAX = 3


/** Starts the next queued message when nothing stands in its way. Safe to call at any time. */
export function drain(d: LeaseDraft): void {
  const { state } = d
  if (state.delivery.stage !== 'rest' || state.view.held || !state.link.up || state.recovery.step !== 'none' || isRunning(state)) return
  const next = state.messages.find((m) => m.state === 'queued')
  if (!next) return
  if (state.view.storedId && !state.vanished) return void begin(d, next, 'status', d.readStatus(), 0)
  const { cwd, title } = state.options ?? {}
  const profile = state.profile ? { profile: state.profile } : {}
  begin(d, next, 'create', d.rpc('session.create', { cols: 80, source: 'webui', ...(cwd ? { cwd } : {}), ...(title ? { title } : {}), ...profile }), 0)
}

function begin(d: LeaseDraft, message: StoredMessage, stage: Preparing['stage'], op: number, retries: number): void {
  d.state.delivery = { stage, msgId: message.clientMsgId, op, retries }
}

/** The rows before a submit; all of them, when a turn is replaced: its place is counted from the first one. */
function readBaseline(d: LeaseDraft, message: StoredMessage, retries: number): void {
  begin(d, message, 'baseline', d.readRows(message.clientMsgId in d.state.retryOf ? 0 : d.state.rowIdMax), retries)
}

/** The message that this stage is about, if the person did not remove it meanwhile. */
function queued(d: LeaseDraft, msgId: string): StoredMessage | null {
  const message = d.message(msgId)
  if (message?.state === 'queued' && !d.state.view.held) return message
  rest(d, 0)
  return null
}

function fail(d: LeaseDraft, msgId: string, reason: string): void {
  if (d.message(msgId)) d.patchMessage(msgId, { state: 'failed', reason: reason.slice(0, 500) }) // Else it was removed meanwhile.
  d.forgetStop()
  rest(d, 0)
}

/** `session.active_list` came back. False when this answer is not ours. */
export function deliveryStatus(d: LeaseDraft, op: number, active: ActiveSession | null, failed: boolean): boolean {
  const { delivery } = d.state
  if (delivery.stage === 'rest' || delivery.op !== op) return false
  if (delivery.stage === 'doubt') doubtStatus(d, delivery, active, failed)
  if (delivery.stage === 'status') statusRead(d, delivery, active, failed)
  return true
}

function statusRead(d: LeaseDraft, delivery: Preparing, active: ActiveSession | null, failed: boolean): void {
  const message = queued(d, delivery.msgId)
  if (!message) return
  if (failed) return rest(d, BUSY_PAUSE_MS * 2)
  if (!active) return resume(d, message, delivery.retries)
  if (!isIdle(active)) {
    if (d.state.boundGen !== d.state.link.gen) d.setOwner('elsewhere')
    return rest(d, BUSY_PAUSE_MS)
  }
  d.state.liveId = active.liveId
  readBaseline(d, message, delivery.retries)
}

function resume(d: LeaseDraft, message: StoredMessage, retries: number): void {
  const { profile, view } = d.state
  invariant(view.storedId, 'only a stored conversation can be resumed')
  begin(d, message, 'resume', d.rpc('session.resume', { session_id: view.storedId, cols: 80, source: 'webui', ...(profile ? { profile } : {}) }), retries)
}

/** The answer to an RPC of this delivery. False when it is not ours. */
export function deliveryRpc(d: LeaseDraft, op: number, outcome: RpcOutcome): boolean {
  const { delivery } = d.state
  if (delivery.stage === 'rest' || delivery.op !== op) return false
  switch (delivery.stage) {
    case 'create': created(d, delivery, outcome); break
    case 'resume': resumed(d, delivery, outcome); break
    case 'configure': configured(d, delivery, outcome); break
    case 'submit': submitted(d, delivery, outcome); break
    default: break
  }
  return true
}

const word = (result: Record<string, unknown>, key: string): string | null => (typeof result[key] === 'string' && result[key] !== '' ? (result[key] as string) : null)

/** The profile that Hermes named, when it is neither ours nor `default`, which 0.19.0 says for every profile (Verified 16). */
function otherProfile(result: Record<string, unknown>, profile: string | null): string | null {
  const info = result['info']
  const named = typeof info === 'object' && info !== null ? word(info as Record<string, unknown>, 'profile_name') : null
  return profile === null || named === null || named === 'default' || named === profile ? null : named
}

function created(d: LeaseDraft, delivery: Preparing, outcome: RpcOutcome): void {
  if (outcome.kind === 'lost') return rest(d, null)
  if (outcome.kind === 'error') return fail(d, delivery.msgId, outcome.message)
  const liveId = word(outcome.result, 'session_id')
  const storedId = word(outcome.result, 'stored_session_id')
  if (!liveId || !storedId) return fail(d, delivery.msgId, 'Hermes answered without an id for the new conversation.')
  d.state.liveId = liveId
  d.state.boundGen = d.state.link.gen
  d.state.rowIdMax = 0
  d.state.vanished = false
  d.emit({ kind: 'bound', storedId })
  d.setOwner('ours')
  d.saveSession()
  configure(d, delivery.msgId, optionWishes(d.state.options, liveId))
}

function configure(d: LeaseDraft, msgId: string, todo: RpcWish[]): void {
  const [wish, ...later] = todo
  const message = queued(d, msgId)
  if (!message) return
  if (!wish) {
    d.state.configured = d.state.liveId
    if (d.state.view.wanted) d.emit({ kind: 'wanted', wanted: null })
    return readBaseline(d, message, 0)
  }
  d.state.delivery = { stage: 'configure', msgId, todo: later, op: d.rpc(wish.method, wish.params) }
}

/** A setting that Hermes refuses stops the message: it would run under another model or with other rules than chosen. */
function configured(d: LeaseDraft, delivery: Stage<'configure'>, outcome: RpcOutcome): void {
  if (outcome.kind === 'lost') return rest(d, null)
  if (outcome.kind === 'error') return fail(d, delivery.msgId, `Hermes did not take the setting: ${outcome.message}`)
  if (outcome.result['confirm_required'] === true) return fail(d, delivery.msgId, word(outcome.result, 'confirm_message') ?? word(outcome.result, 'warning') ?? 'This model needs to be confirmed first.')
  configure(d, delivery.msgId, delivery.todo)
}

function resumed(d: LeaseDraft, delivery: Preparing, outcome: RpcOutcome): void {
  if (outcome.kind === 'lost') return rest(d, null)
  if (outcome.kind === 'error' && outcome.code === 4007) {
    d.state.delivery = { ...delivery, stage: 'vanished', op: d.readRows(0) }
    return
  }
  if (outcome.kind === 'error') return fail(d, delivery.msgId, outcome.message)
  const { result } = outcome
  const wrong = otherProfile(result, d.state.profile)
  if (wrong !== null) return fail(d, delivery.msgId, `Hermes opened this conversation in the profile “${wrong}”, so nothing was sent.`)
  d.state.liveId = word(result, 'session_id')
  if (!d.state.liveId) return fail(d, delivery.msgId, 'Hermes answered without an id for this conversation.')
  d.state.boundGen = d.state.link.gen
  const tip = word(result, 'session_key') ?? word(result, 'resumed')
  if (tip && tip !== d.state.view.storedId) d.emit({ kind: 'bound', storedId: tip })
  d.setOwner('ours')
  d.saveSession()
  const message = queued(d, delivery.msgId)
  if (!message) return
  if (result['running'] === true) return rest(d, BUSY_PAUSE_MS)
  readBaseline(d, message, delivery.retries)
}

/** Rows came back. Whatever they were read for, they may hold the message that is looked for. */
export function deliveryRows(d: LeaseDraft, op: number, read: RowsRead): void {
  const { delivery } = d.state
  confirmFrom(d, read)
  if (d.state.delivery.stage === 'rest' || d.state.delivery.op !== op || !('op' in delivery) || delivery.op !== op) return
  if (delivery.stage === 'baseline') return baselineRead(d, delivery, read)
  if (delivery.stage === 'vanished') return vanished(d, delivery, read)
  if (delivery.stage === 'confirm') return confirmMissed(d, delivery, read)
  if (delivery.stage === 'doubt') return doubtRows(d, delivery, read)
}

function baselineRead(d: LeaseDraft, delivery: Preparing, read: RowsRead): void {
  const message = queued(d, delivery.msgId)
  if (!message) return
  if (read.kind === 'failed') return rest(d, BUSY_PAUSE_MS * 2)
  if (isRunning(d.state)) return rest(d, null) // The agent began by itself meanwhile.
  if (read.kind === 'absent') d.state.rowIdMax ??= 0 // Never prompted: no rows yet.
  const { liveId, rowIdMax, options } = d.state
  if (!liveId) return rest(d, 0) // Reclaimed meanwhile.
  // Before the first row every choice must have been taken, whatever came between (removed, refused, a lost line, a restart).
  const wishes = (rowIdMax === 0 || d.state.chosen) && d.state.configured !== liveId ? optionWishes(options, liveId, d.state.chosen) : []
  if (wishes.length > 0) return configure(d, message.clientMsgId, wishes)
  if (d.state.unsaved) d.saveSession()
  d.state.unsaved = false
  d.patchMessage(message.clientMsgId, { state: 'sending', baselineRowId: d.state.rowIdMax ?? 0 })
  d.state.delivery = {
    stage: 'submit', msgId: message.clientMsgId, turnSeen: false, retries: delivery.retries, op: d.rpc('prompt.submit', { session_id: liveId, text: message.text, ...cutForRetry(d, message, read) }),
  }
}

/**
 * Hermes does not know the conversation. Made by us and never with a row, it died with its process and is made anew; any other
 * is never replaced by a fresh one: the message would run without its context (contract gateway.md 4.1).
 */
function vanished(d: LeaseDraft, delivery: Preparing, read: RowsRead): void {
  if (read.kind === 'failed') return rest(d, BUSY_PAUSE_MS * 2)
  if (read.kind === 'rows' || !d.state.key.includes('draft:') || (d.state.rowIdMax ?? 0) > 0) return fail(d, delivery.msgId, 'Hermes does not know this conversation any more.')
  d.state.vanished = true
  rest(d, 0)
}

/** Codes after which nothing was accepted and trying later is right: unknown live id, busy. */
const AGAIN: ReadonlySet<number> = new Set([4001, 4009])

function submitted(d: LeaseDraft, delivery: Stage<'submit'>, outcome: RpcOutcome): void {
  if (outcome.kind === 'lost') return intoDoubt(d, delivery.msgId, delivery.turnSeen)
  if (outcome.kind === 'error' && d.message(delivery.msgId)?.state !== 'sending') return rest(d, 0) // Its row was seen: it arrived.
  if (outcome.kind === 'error') {
    if (!AGAIN.has(outcome.code) || delivery.retries >= REQUEUES_MAX) return fail(d, delivery.msgId, outcome.message)
    if (outcome.code === 4001) d.state.liveId = null
    const message = d.patchMessage(delivery.msgId, { state: 'queued', baselineRowId: null })
    d.forgetStop()
    if (outcome.code === 4001 && d.state.link.up && !d.state.view.held) return resume(d, message, delivery.retries + 1)
    return rest(d, BUSY_PAUSE_MS)
  }
  d.state.boundGen = d.state.link.gen
  d.setOwner('ours')
  retryTaken(d, delivery.msgId)
  const turnEnded = delivery.turnSeen && !isRunning(d.state)
  if (d.message(delivery.msgId)?.state !== 'sending') return rest(d, 0) // Its row was seen before the answer came.
  d.patchMessage(delivery.msgId, { state: 'sent' })
  d.state.delivery = { stage: 'confirm', msgId: delivery.msgId, op: -1, reads: 0, turnEnded }
  d.timer('confirm', CONFIRM_PAUSES_MS[0])
  if (!delivery.turnSeen) d.signal('turn_begins')
}

/** The line was lost: what Hermes had taken but not yet shown as a row is in doubt again (an ack is not durability, M2). */
export function deliveryLinkDown(d: LeaseDraft): void {
  const { delivery } = d.state
  if (delivery.stage === 'confirm') return intoDoubt(d, delivery.msgId, delivery.turnEnded || d.state.view.turn?.phase === 'running')
  if (delivery.stage === 'doubt') d.state.delivery = { ...delivery, step: 'link', op: -1 }
}

/** A turn began while a submit waited for its answer, or after it: it is the turn of that message. */
export function deliveryTurnSeen(d: LeaseDraft): StoredMessage | null {
  const { delivery } = d.state
  if (delivery.stage === 'submit') d.state.delivery = { ...delivery, turnSeen: true }
  else if (delivery.stage !== 'confirm' || delivery.turnEnded) return null
  return d.message(delivery.msgId) ?? null
}

export function deliveryTurnEnded(d: LeaseDraft): void {
  const { delivery } = d.state
  if (delivery.stage === 'confirm') d.state.delivery = { ...delivery, turnEnded: true, reads: 0 }
}
