/**
 * Finding back to a running turn after the line was lost, or taking it over from another program (lease.md 5). Safe reads
 * first; activate only what runs or asks; the text is what Hermes says it is, finished tools come from the history.
 */
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import { foldHistory } from '#protocol/turn/history-fold.ts'
import { isSamePrompt } from '#protocol/turn/same-prompt.ts'
import type { TurnStatus } from '#protocol/turn/turn-event.ts'
import { type Block, newTurn, type Turn } from '#protocol/turn/turn-fold.ts'
import type { ActiveSession } from './gateway-link.ts'
import { expireAsks } from './lease-asks.ts'
import { drain } from './lease-delivery.ts'
import { isRunning, type LeaseDraft, openAsks } from './lease-draft.ts'
import { isIdle } from './lease-stage.ts'
import type { Recovery } from './lease-state.ts'
import { applyFact, endTurn, quietEnd, readFinal, sendStop, setTurn, settleIdle } from './lease-turn.ts'
import type { RowsRead } from './row-reader.ts'
import type { RpcOutcome } from './rpc-socket.ts'

const RETRY_MS = 1_000

type Active = Exclude<Recovery, { step: 'none' }>

/** `takeover`: a person asked for it, so a session that another program holds is taken (never automatic, I10). */
export function beginRecovery(d: LeaseDraft, takeover: boolean): void {
  if (!d.state.link.up || !d.state.view.storedId) return
  d.state.recovery = { step: 'status', op: d.readStatus(), takeover, liveId: d.state.liveId, rows: null }
}

/** The retry timer fired. */
export function recoveryDue(d: LeaseDraft): void {
  const { recovery } = d.state
  if (recovery.step !== 'none' && d.state.link.up) beginRecovery(d, recovery.takeover)
}

export function recoveryStatus(d: LeaseDraft, op: number, active: ActiveSession | null, failed: boolean): boolean {
  const { recovery } = d.state
  if (recovery.step !== 'status' || recovery.op !== op) return false
  if (failed) d.timer('recover', RETRY_MS)
  else if (active && isIdle(active) && !recovery.takeover) {
    d.state.liveId = active.liveId
    if (isRunning(d.state)) d.state.recovery = { ...recovery, step: 'settle', liveId: active.liveId, op: d.readRows(d.state.turnBaseline) }
    else settle(d, 'complete')
  } else {
    d.state.liveId = active?.liveId ?? null
    d.state.recovery = { ...recovery, step: 'rows', liveId: active?.liveId ?? null, op: d.readRows(d.state.turnBaseline) }
  }
  return true
}

export function recoveryRows(d: LeaseDraft, op: number, read: RowsRead): void {
  const { recovery } = d.state
  if ((recovery.step !== 'rows' && recovery.step !== 'settle') || recovery.op !== op) return
  if (read.kind === 'failed') return d.timer('recover', RETRY_MS)
  if (recovery.step === 'settle') return settle(d, endOf(d, read))
  if (recovery.liveId === null && !recovery.takeover) return forgotten(d, read)
  bind(d, { ...recovery, rows: read })
}

/** Hermes is idle: the turn that ran when the line was lost is over. */
function settle(d: LeaseDraft, status: TurnStatus): void {
  finish(d)
  settleIdle(d, true, status)
  flushBuffer(d)
}

/** How a turn ended whose end was missed: stopped, answered, or with nothing behind its message (upstream keeps no error row). */
function endOf(d: LeaseDraft, read: RowsRead): TurnStatus {
  if (d.state.view.turn?.stopping) return 'interrupted'
  const last = read.kind === 'rows' ? read.rows.at(-1) : undefined
  return last && !isAnswer(last) ? 'lost' : 'complete'
}

const isAnswer = (row: MessageRow): boolean => row.role === 'assistant' && (row.finish_reason ?? 'stop') !== 'tool_calls'

/** `activate` moves the events to our socket; a session that is not live is resumed, which only a take-over may do. */
function bind(d: LeaseDraft, recovery: Active): void {
  const { profile, view } = d.state
  const op = recovery.liveId
    ? d.rpc('session.activate', { session_id: recovery.liveId })
    : d.rpc('session.resume', { session_id: view.storedId, cols: 80, source: 'webui', ...(profile ? { profile } : {}) })
  d.state.recovery = { ...recovery, step: 'bind', op }
}

export function recoveryRpc(d: LeaseDraft, op: number, outcome: RpcOutcome): boolean {
  const { recovery } = d.state
  if (recovery.step !== 'bind' || recovery.op !== op) return false
  if (outcome.kind === 'ok') adopt(d, outcome.result, recovery)
  else if (outcome.kind === 'error' && (outcome.code === 4001 || outcome.code === 4007)) forgotten(d, recovery.rows ?? { kind: 'absent' })
  else if (outcome.kind === 'error' && outcome.code === -32601) bind(d, { ...recovery, liveId: null })
  else if (outcome.kind === 'error') d.timer('recover', RETRY_MS)
  else d.state.recovery = { ...recovery, step: 'status', op: -1 } // The line went down again; link_up begins anew.
  return true
}

function finish(d: LeaseDraft): void {
  d.state.recovery = { step: 'none' }
  d.clear('recover')
  d.state.wasRunning = false
}

function flushBuffer(d: LeaseDraft): void {
  const buffer = d.state.buffer
  d.state.buffer = []
  for (const fact of buffer) applyFact(d, fact)
}

/** The live snapshot: running turns go on where they are, with what was missed read from the history. */
function adopt(d: LeaseDraft, snapshot: Record<string, unknown>, recovery: Active): void {
  finish(d)
  const inflight = (typeof snapshot['inflight'] === 'object' && snapshot['inflight'] !== null ? snapshot['inflight'] : {}) as Record<string, unknown>
  if (typeof snapshot['session_id'] === 'string') d.state.liveId = snapshot['session_id']
  d.state.boundGen = d.state.link.gen
  d.setOwner('ours')
  const runs = snapshot['running'] === true || inflight['streaming'] === true
  if (runs) rejoin(d, inflight, recovery.rows?.kind === 'rows' ? recovery.rows.rows : [])
  else settleIdle(d, true)
  d.saveSession()
  flushBuffer(d)
  drain(d)
}

/** Builds the running turn from stored rows plus the text of the segment that still streams. */
function rejoin(d: LeaseDraft, inflight: Record<string, unknown>, rows: readonly MessageRow[]): void {
  const prompt = typeof inflight['user'] === 'string' ? inflight['user'] : null
  const known = isRunning(d.state) ? d.state.view.turn : null
  const message = d.state.messages.find((m) => prompt !== null && isSamePrompt(prompt, m.text) && ['sending', 'sent', 'checking', 'confirmed'].includes(m.state))
  d.state.turns += known ? 0 : 1
  const base: Turn = known ?? newTurn({
    turnId: `${d.state.epoch}-${d.state.turns}`, origin: message ? 'ours' : 'agent', clientMsgId: message?.clientMsgId ?? null, prompt, startedAtMs: d.nowMs,
  })
  if (message && d.state.turnBaseline === null) d.state.turnBaseline = message.baselineRowId
  const stored = blocksSince(rows, prompt)
  const streaming = currentSegment(typeof inflight['assistant'] === 'string' ? inflight['assistant'] : '', stored.blocks)
  const blocks: Block[] = [...stored.blocks, ...openTools(base, stored.blocks)]
  if (streaming !== '') blocks.push({ kind: 'text', text: streaming, sealed: false })
  if (stored.rowIdBefore !== null && d.state.turnBaseline === null) d.state.turnBaseline = stored.rowIdBefore
  setTurn(d, { ...base, prompt: base.prompt ?? prompt, phase: 'running', blocks, gap: true, preview: '', streamed: streaming !== '' })
  d.emit({ kind: 'history', anchor: d.state.turnBaseline, revision: d.state.view.historyRevision })
  if (d.state.stopWanted) sendStop(d)
}

/** The blocks of the last turn in these rows, and the row before its prompt. */
export function blocksSince(rows: readonly MessageRow[], prompt: string | null): { blocks: Block[]; rowIdBefore: number | null } {
  const items = foldHistory(rows)
  const start = items.findLastIndex((item) => (item.kind === 'user' || item.kind === 'notice') && (prompt === null || isSamePrompt(item.text, prompt)))
  const mine = items.slice(start + 1).flatMap((item) => (item.kind === 'turn' ? item.blocks : []))
  const first = start >= 0 ? items[start] : undefined
  return { blocks: mine, rowIdBefore: first ? first.rowId - 1 : null }
}

/** `inflight.assistant` is all narration of the turn joined by a blank line (M5): what is stored already is taken off its front. */
export function currentSegment(inflight: string, stored: readonly Block[]): string {
  let left = inflight.replace(/^\n+/, '')
  for (const block of stored) {
    if (block.kind !== 'text') continue
    const text = block.text.replace(/^\n+/, '').trimEnd()
    if (!left.startsWith(text)) continue
    left = left.slice(text.length).replace(/^\s*\n+/, '')
  }
  return left
}

/** Tools that ran when the line was lost and are not in the history yet. */
function openTools(turn: Turn, stored: readonly Block[]): Block[] {
  const known = new Set(stored.flatMap((block) => (block.kind === 'tool' ? [block.toolId] : [])))
  return turn.blocks.filter((block) => block.kind === 'tool' && (block.state === 'running' || block.state === 'preparing') && !known.has(block.toolId))
}

/** The live session is gone: reaped after its end, or Hermes died. The last row tells which. */
function forgotten(d: LeaseDraft, read: RowsRead): void {
  finish(d)
  d.state.liveId = null
  d.state.boundGen = null
  d.state.buffer = []
  d.setOwner('nobody')
  expireAsks(d)
  const last = read.kind === 'rows' ? read.rows.at(-1) : undefined
  const answered = last !== undefined && isAnswer(last)
  if (isRunning(d.state) && d.state.view.turn) {
    d.emit({ kind: 'turn_set', turn: { ...d.state.view.turn, gap: true } })
    endTurn(d, quietEnd(answered ? 'complete' : 'lost'))
  } else {
    d.saveSession()
    readFinal(d, 0)
  }
  drain(d)
}

/** The line is back: find running turns and open questions first; everything else waits for them. */
export function recoverAfterGap(d: LeaseDraft): void {
  d.state.boundGen = null
  const needed = isRunning(d.state) || openAsks(d.state).length > 0 || d.state.wasRunning
  if (needed) beginRecovery(d, false)
  else d.state.recovery = { step: 'none' }
}
