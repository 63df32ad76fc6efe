/**
 * The lease of one conversation: a pure step from what happened to what is to be done (law 1). Each concern has its own file;
 * this one only says who gets which input. Design: lease.md; the invariants I1-I12 are asserted by tests/faults.
 */
import { unreachable } from '#protocol/refusal/refusal.ts'
import { answerAsk, askRpc, asksDue, cancelRequest, raiseAsk, resendAnswers } from './lease-asks.ts'
import { confirmDue } from './lease-confirm.ts'
import { deliveryLinkDown, deliveryRpc, deliveryRows, deliveryStatus, drain } from './lease-delivery.ts'
import { doubtDue } from './lease-doubt.ts'
import { isBound, isRunning, LeaseDraft } from './lease-draft.ts'
import { holdQueue, messageAccepted, messageEdited, messageMoved, messageRemoved, messageResolved, releaseQueue, steerRpc } from './lease-queue.ts'
import { chooseSettings } from './lease-settings.ts'
import { beginRecovery, recoverAfterGap, recoveryDue, recoveryRows, recoveryRpc, recoveryStatus } from './lease-recovery.ts'
import type { LeaseEffect, LeaseInput, LeaseState, TimerName } from './lease-state.ts'
import { applyFact, beginTurn, finalDue, learnRows, releaseHeldEnd, sendStop, WATCH_MS } from './lease-turn.ts'
import { silenceDue, silenceRows, silenceStatus, watchDue, watchRows, watchStatus } from './lease-watch.ts'

/** The lease after one input, and what is to be done about it, in this order. */
export function stepLease(state: LeaseState, input: LeaseInput, nowMs: number): { state: LeaseState; effects: LeaseEffect[] } {
  const d = new LeaseDraft(state, nowMs)
  apply(d, input)
  for (let signal = d.signals.shift(); signal; signal = d.signals.shift()) {
    if (signal === 'recover') beginRecovery(d, false)
    else if (signal === 'turn_begins') beginTurn(d, 'waiting')
    else releaseHeldEnd(d)
  }
  return { state: d.state, effects: d.effects }
}

function apply(d: LeaseDraft, input: LeaseInput): void {
  const settle = (cmd: number, refusal: ReturnType<typeof messageEdited>) => d.want({ kind: 'settle', cmd, refusal })
  switch (input.kind) {
    case 'message_accepted':
      if (input.options && !d.state.view.storedId) d.state.options = input.options
      if (input.retryOf) d.state.retryOf = { ...d.state.retryOf, [input.message.clientMsgId]: input.retryOf }
      d.saveSession()
      return messageAccepted(d, input.message)
    case 'settings_chosen':
      chooseSettings(d, input)
      return settle(input.cmd, null)
    case 'ask_answered': {
      const refused = answerAsk(d, input.askId, input.answer, input.device)
      return d.want({ kind: 'settle', cmd: input.cmd, refusal: refused?.code ?? null, ...(refused?.detail ? { detail: refused.detail } : {}) })
    }
    case 'stop_pressed': return stopPressed(d, input.cmd)
    case 'message_edited': return settle(input.cmd, messageEdited(d, input.clientMsgId, input.text))
    case 'message_moved': return settle(input.cmd, messageMoved(d, input.clientMsgId, input.before))
    case 'message_removed': return settle(input.cmd, messageRemoved(d, input.clientMsgId))
    case 'message_resolved': return settle(input.cmd, messageResolved(d, input.clientMsgId, input.verdict))
    case 'queue_released':
      releaseQueue(d)
      return settle(input.cmd, null)
    case 'takeover_pressed':
      if (d.state.link.up && !(d.state.view.owner === 'ours' && isBound(d.state))) beginRecovery(d, true) // Ours already: a second press changes nothing.
      return settle(input.cmd, d.state.link.up ? null : 'upstream_unreachable')
    case 'fact': return applyFact(d, input.fact)
    case 'request_raised': return raiseAsk(d, input.ask, 'request', input.rpcId)
    case 'request_cancelled': return cancelRequest(d, input.rpcId, input.reason)
    case 'link_up': return linkUp(d, input.gen)
    case 'link_down': return linkDown(d)
    case 'rpc_done': {
      const mine = deliveryRpc(d, input.op, input.outcome) || recoveryRpc(d, input.op, input.outcome) || askRpc(d, input.op, input.outcome)
      if (!mine) steerRpc(d, input.op, input.outcome)
      return
    }
    case 'rows_read':
      learnRows(d, input.read)
      deliveryRows(d, input.op, input.read)
      recoveryRows(d, input.op, input.read)
      watchRows(d, input.op, input.read)
      return silenceRows(d, input.op, input.read)
    case 'status_read': {
      const { op, active, failed } = input
      void (deliveryStatus(d, op, active, failed) || recoveryStatus(d, op, active, failed) || silenceStatus(d, op, active, failed) || watchStatus(d, op, active, failed))
      return
    }
    case 'timer_fired': return timerFired(d, input.name)
    case 'store_failed': return storeFailed(d, input.code, input.unsent)
    case 'flooded':
      if (isRunning(d.state) && d.state.view.turn) d.emit({ kind: 'turn_set', turn: { ...d.state.view.turn, gap: true } })
      return
    case 'subscribers_changed':
      d.state.watch = { ...d.state.watch, subscribers: input.count }
      if (input.count > 0 && !isRunning(d.state)) d.timer('watch', d.state.watch.looks === 0 ? 0 : WATCH_MS)
      if (input.count === 0) d.clear('watch')
      return
    case 'ask_wait_learned':
      d.state.askWaitS = { ...d.state.askWaitS, ...input.askWaitS }
      return
    default: return unreachable(input)
  }
}

function stopPressed(d: LeaseDraft, cmd: number): void {
  const { delivery } = d.state
  const underWay = isRunning(d.state) || delivery.stage === 'submit' || (delivery.stage === 'confirm' && !delivery.turnEnded)
  holdQueue(d)
  if (!underWay) return d.want({ kind: 'settle', cmd, refusal: d.state.view.held ? null : 'nothing_running' })
  d.state.stopWanted = true // Sent now, or as soon as there is a turn and a line to stop it.
  d.emit({ kind: 'stopping' })
  sendStop(d)
  d.want({ kind: 'settle', cmd, refusal: null })
}

function linkUp(d: LeaseDraft, gen: number): void {
  d.state.link = { up: true, gen }
  d.emit({ kind: 'link', link: 'up' })
  recoverAfterGap(d)
  resendAnswers(d)
  if (d.state.delivery.stage === 'doubt') doubtDue(d)
  if (isRunning(d.state)) d.timer('silence', 1_000)
  if (d.state.view.storedId && d.state.rowIdMax !== null) d.timer('final', 0)
  if (d.state.watch.subscribers > 0 && d.state.watch.looks === 0) d.timer('watch', 0)
  drain(d)
}

function linkDown(d: LeaseDraft): void {
  d.state.link = { ...d.state.link, up: false }
  d.state.boundGen = null
  d.state.buffer = []
  d.emit({ kind: 'link', link: 'down' })
  deliveryLinkDown(d)
}

function timerFired(d: LeaseDraft, name: TimerName): void {
  switch (name) {
    case 'drain': return drain(d)
    case 'confirm': return confirmDue(d)
    case 'doubt': return doubtDue(d)
    case 'recover': return recoveryDue(d)
    case 'silence': return silenceDue(d)
    case 'final': return finalDue(d)
    case 'watch': return watchDue(d)
    case 'asks': return asksDue(d)
    default: return unreachable(name)
  }
}

/** The journal could not be written, so the submit that it announced was not sent: the message says why. Only in memory, of course. */
function storeFailed(d: LeaseDraft, code: string, unsent: number | null): void {
  const { delivery } = d.state
  d.state.unsaved = true
  if (unsent === null || delivery.stage !== 'submit' || delivery.op !== unsent) return
  d.state.messages = d.state.messages.map((m) => (m.clientMsgId === delivery.msgId ? { ...m, state: 'failed' as const, reason: code } : m))
  d.state.delivery = { stage: 'rest' }
  d.forgetStop()
  d.emitMessages()
}
