/** The running turn of a lease: from the first sign of it to the re-read history. Also who holds the conversation. */
import type { Outcome } from '#protocol/live/live-view.ts'
import type { GatewayFact, SessionFacts } from '#protocol/turn/from-gateway.ts'
import type { TurnEnded, TurnEvent, TurnStatus } from '#protocol/turn/turn-event.ts'
import { newTurn, type Turn } from '#protocol/turn/turn-fold.ts'
import { unreachable } from '#protocol/refusal/refusal.ts'
import { OUTCOMES_MAX } from './journal.ts'
import { closeAsksOnEvidence, expireAsks, raiseAsk, withdrawAsk, OVERDUE_LOOK_MS } from './lease-asks.ts'
import { deliveryTurnEnded, deliveryTurnSeen, drain } from './lease-delivery.ts'
import { isRunning, type LeaseDraft, openAsks } from './lease-draft.ts'
import { settleSteers, steerSeen } from './lease-queue.ts'
import type { RowsRead } from './row-reader.ts'

/** Silence of a running turn after which Hermes is asked whether it still runs, in ms (lease.md 5). */
export const SILENCE_MS = 10_000
/** Facts kept while a turn is being re-read (contract gateway.md 14). */
export const BUFFER_MAX = 256
/** A watched conversation that does not run here is looked at this often, in ms. */
export const WATCH_MS = 10_000
/** Looks at the history after a turn, in ms after its end. */
const FINAL_PAUSES_MS = [40, 1_500] as const

/** A fact from the socket of this session. While a turn is being re-read, facts wait in their order. */
export function applyFact(d: LeaseDraft, fact: GatewayFact): void {
  if (d.state.recovery.step !== 'none') {
    d.state.buffer = [...d.state.buffer, fact].slice(-BUFFER_MAX)
    return
  }
  if (d.state.link.up) d.state.boundGen = d.state.link.gen
  if (d.state.view.owner !== 'ours') d.setOwner('ours')
  d.state.lastFactMs = d.nowMs
  switch (fact.kind) {
    case 'turn': return applyTurnEvent(d, fact.event)
    case 'ask': return raiseAsk(d, fact.ask, 'event', fact.ask.requestId)
    case 'ask_expired': return withdrawAsk(d, fact.ask, fact.requestId)
    case 'info': return applyInfo(d, fact.info)
    case 'title': return fact.title === '' ? undefined : d.emit({ kind: 'title', title: fact.title })
    case 'reclaimed': return forgetLive(d)
    case 'notice': return isRunning(d.state) ? d.emit({ kind: 'turn', event: { kind: 'status', topic: 'process', text: fact.text } }) : undefined
    case 'ignored': return
    case 'unknown':
      d.state.unknownFacts += 1
      return
    default: return unreachable(fact)
  }
}

function applyTurnEvent(d: LeaseDraft, event: TurnEvent): void {
  if (event.kind === 'started') return turnStarted(d)
  if (event.kind === 'ended') return turnEnded(d, event)
  const ours = !isRunning(d.state) && event.kind !== 'caption' && event.kind !== 'status' ? deliveryTurnSeen(d) : null
  if (ours && d.state.view.turn?.clientMsgId !== ours.clientMsgId) beginTurn(d, 'running')
  if (!isRunning(d.state)) return // Late events of a turn that ended change nothing (gateway.md 7.2).
  deliveryTurnSeen(d)
  d.emit({ kind: 'turn', event })
  if (event.kind === 'tool_done') {
    closeAsksOnEvidence(d, event)
    steerSeen(d)
  }
}

function turnStarted(d: LeaseDraft): void {
  const { turn } = d.state.view
  if (isRunning(d.state) && turn) {
    deliveryTurnSeen(d)
    if (turn.phase === 'running' && turn.blocks.length === 0) return // Upstream sends two starts for one turn (10.4).
    return d.emit({ kind: 'turn', event: { kind: 'started' } })
  }
  beginTurn(d, 'running')
}

/** A turn begins: of the message on its way, or of the agent itself. */
export function beginTurn(d: LeaseDraft, phase: 'waiting' | 'running'): void {
  const message = deliveryTurnSeen(d)
  d.state.turns += 1
  d.state.turnBaseline = message?.baselineRowId ?? d.state.rowIdMax
  const turn = newTurn({
    turnId: `${d.state.epoch}-${d.state.turns}`, origin: message ? 'ours' : 'agent', clientMsgId: message?.clientMsgId ?? null, prompt: message?.text ?? null, startedAtMs: d.nowMs,
  })
  setTurn(d, { ...turn, phase })
  d.emit({ kind: 'history', anchor: d.state.turnBaseline, revision: d.state.view.historyRevision })
}

/** Shows this turn as the running one and arms what watches over it. */
export function setTurn(d: LeaseDraft, turn: Turn): void {
  d.state.lastFactMs = d.nowMs
  d.state.silence = { checks: 0, op: -1, rowIdMax: null }
  d.emit({ kind: 'turn_set', turn })
  d.timer('silence', SILENCE_MS)
  d.clear('watch')
  d.saveSession()
  if (d.state.stopWanted) sendStop(d)
}

/** The terminal event. While an answer is on its way it waits for the acknowledgement (gateway.md 6.1). */
function turnEnded(d: LeaseDraft, event: TurnEnded): void {
  if (!isRunning(d.state)) {
    readFinal(d, 0) // A turn that we did not see begin: its rows are read.
    return
  }
  if (isLateEnd(d, event)) return
  if (d.state.asks.some((ask) => ask.view.state === 'answering')) {
    d.state.heldEnd ??= event
    return
  }
  endTurn(d, event)
}

/** Nothing was heard of this turn yet, so this is the end of the one before it (S13). A failure may come before a start. */
function isLateEnd(d: LeaseDraft, event: TurnEnded): boolean {
  const { turn } = d.state.view
  return turn?.phase === 'waiting' && event.status !== 'error' && !(turn.stopping && event.status === 'interrupted')
}

/** An answer was settled: the end that waited for it may be shown. */
export function releaseHeldEnd(d: LeaseDraft): void {
  const held = d.state.heldEnd
  if (!held || d.state.asks.some((ask) => ask.view.state === 'answering')) return
  d.state.heldEnd = null
  if (isRunning(d.state)) endTurn(d, held)
}

export const quietEnd = (status: TurnStatus): TurnEnded => ({ kind: 'ended', status, text: '', reasoning: null, error: null, warning: null, usage: null })

/** Ends the turn for every device, keeps its outcome where upstream keeps none, reads the history. */
export function endTurn(d: LeaseDraft, event: TurnEnded): void {
  const stopped = d.state.view.turn?.stopping === true
  d.state.heldEnd = null
  d.state.mayHaveMissedAsk = false
  d.state.stopWanted = false
  d.emit({ kind: 'turn', event })
  deliveryTurnEnded(d)
  settleSteers(d, stopped)
  const { turn } = d.state.view
  if (turn?.outcome && turn.outcome.status !== 'complete') keepOutcome(d, turn)
  d.clear('silence')
  if (d.state.watch.subscribers > 0) d.timer('watch', WATCH_MS)
  if (openAsks(d.state).length > 0) d.timer('asks', OVERDUE_LOOK_MS)
  d.saveSession()
  readFinal(d, 0)
}

function keepOutcome(d: LeaseDraft, turn: Turn): void {
  if (!turn.outcome) return
  // Its place is known when the history was read: tools and words of this turn may be rows behind its message.
  const outcome: Outcome = { turnId: turn.turnId, afterRowId: null, prompt: turn.prompt, outcome: turn.outcome, atMs: d.nowMs }
  d.want({ kind: 'save_outcome', outcome })
  d.emit({ kind: 'outcomes', outcomes: [...d.state.view.outcomes.filter((o) => o.turnId !== outcome.turnId), outcome].slice(-OUTCOMES_MAX) })
}

/** Reads the history soon, and once more a little later: the last row may still be on its way. */
export function readFinal(d: LeaseDraft, reads: number): void {
  d.state.finalReads = reads
  const pause = FINAL_PAUSES_MS[reads]
  if (pause !== undefined) d.timer('final', pause)
}

/** The row read after a turn. */
export function finalDue(d: LeaseDraft): void {
  if (!d.state.view.storedId) return
  d.readRows(d.state.rowIdMax)
  readFinal(d, d.state.finalReads + 1)
  drain(d)
}

/** What every row read teaches: how far the history goes, and that it grew. */
export function learnRows(d: LeaseDraft, read: RowsRead): void {
  if (read.kind !== 'rows') return
  if (read.storedId && d.state.view.storedId && read.storedId !== d.state.view.storedId) {
    d.emit({ kind: 'bound', storedId: read.storedId })
    d.saveSession()
  }
  const before = d.state.rowIdMax
  const max = read.rows.reduce((highest, row) => Math.max(highest, row.id), before ?? 0)
  d.state.rowIdMax = max
  if (isRunning(d.state) && d.state.view.owner !== 'elsewhere') return
  placeOutcomes(d, max)
  if (max !== before || d.state.view.historyAnchor !== max) d.emit({ kind: 'history', anchor: max, revision: d.state.view.historyRevision + 1 })
  d.dropConfirmed()
}

/** An outcome is shown after the last row of its turn, which is known only now. */
function placeOutcomes(d: LeaseDraft, rowIdMax: number): void {
  const open = d.state.view.outcomes.filter((o) => o.afterRowId === null)
  if (open.length === 0) return
  const placed = d.state.view.outcomes.map((o) => (o.afterRowId === null ? { ...o, afterRowId: rowIdMax } : o))
  for (const outcome of placed) if (open.some((o) => o.turnId === outcome.turnId)) d.want({ kind: 'save_outcome', outcome })
  d.emit({ kind: 'outcomes', outcomes: placed })
}

function applyInfo(d: LeaseDraft, info: SessionFacts): void {
  const shown = { model: info.model, provider: info.provider, cwd: info.cwd, approvalMode: info.approvalMode, yolo: info.yolo }
  if (JSON.stringify(shown) !== JSON.stringify(d.state.view.info)) d.emit({ kind: 'info', info: shown })
  if (info.title && info.title !== d.state.view.title) d.emit({ kind: 'title', title: info.title })
  if (info.storedId && info.storedId !== d.state.view.storedId) {
    d.emit({ kind: 'bound', storedId: info.storedId })
    d.saveSession()
  }
  if (info.running === false) foundIdle(d)
}

/** An authoritative idle. It settles a turn that began, never one of which nothing was heard yet (gateway.md 9.4). */
export function foundIdle(d: LeaseDraft): void {
  if (d.state.view.turn?.phase === 'waiting') return
  if (d.state.heldEnd && Object.keys(d.state.askOps).length > 0) return // Its acknowledgement is on its way and settles it.
  settleIdle(d)
}

/**
 * Hermes is idle: a turn that we thought was running is over, and nobody waits for an answer any more. `gap`: its end was
 * missed, so what is shown of it may lack words until the history was read; `status`: how it ended, as its rows tell.
 */
export function settleIdle(d: LeaseDraft, gap = false, status: TurnStatus = 'complete'): void {
  expireAsks(d)
  const { turn } = d.state.view
  if (isRunning(d.state) && turn) {
    if (gap && !d.state.heldEnd) d.emit({ kind: 'turn_set', turn: { ...turn, gap: true } })
    endTurn(d, d.state.heldEnd ?? quietEnd(status))
  } else if (gap) readFinal(d, 0)
  drain(d)
}

/** Hermes forgot the live session; if a turn ran, its rows tell how it ended. */
export function forgetLive(d: LeaseDraft): void {
  d.state.liveId = null
  d.state.boundGen = null
  d.setOwner('nobody')
  d.saveSession()
  if (isRunning(d.state)) d.signal('recover')
}

/** The person pressed stop: the only way an interrupt is ever sent (I5). */
export function sendStop(d: LeaseDraft): void {
  if (!d.state.liveId || !d.state.link.up || !isRunning(d.state)) return
  d.state.stopWanted = false
  d.rpc('session.interrupt', { session_id: d.state.liveId })
}
