/**
 * One list for the eye: stored rows, the running turn, outcomes, and messages on their way, each thing once (lease.md I8).
 * Rows above the relay's anchor belong to the running turn; when the turn ended and the history was read again, the rows
 * take its place. Pure.
 */
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import type { LiveView, Message, Outcome } from '#protocol/live/live-view.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import { foldHistory, type HistoryItem } from '#protocol/turn/history-fold.ts'
import type { Block, ToolBlock, Turn } from '#protocol/turn/turn-fold.ts'
import type { OutboxEntry } from '../outbox/outbox.ts'

/** Clocks of one host may be read in another order than they ticked, in ms. */
const CLOCK_SLACK_MS = 10_000
/** Widest pause inside one day group, in ms: then a time stamp is shown. */
export const STAMP_AFTER_MS = 15 * 60_000

/** What is known of a message that is no row yet. */
export type OnTheWay =
  | { where: 'page'; phase: OutboxEntry['phase']; say: string | null; next: string | null }
  | { where: 'relay'; state: Message['state']; reason: string | null; device: string }

/** First and last stored row that an item stands for. */
export type RowIds = readonly [number, number]

export type DisplayItem =
  | { kind: 'stamp'; key: string; atMs: number }
  | { kind: 'user'; key: string; text: string; atMs: number; clientMsgId: string | null; way: OnTheWay | null; rowIds: RowIds | null }
  | { kind: 'notice'; key: string; text: string; rowIds: RowIds | null }
  /** `asks`: closed questions of this turn, as long as the relay remembers them. */
  | { kind: 'turn'; key: string; blocks: readonly Block[]; atMs: number; live: Turn | null; asks: readonly AskView[]; rowIds: RowIds | null }
  | { kind: 'outcome'; key: string; outcome: Outcome }

export type TranscriptInput = {
  rows: readonly MessageRow[]
  /** `historyRevision` that was current when the rows were asked for. */
  rowsRevision: number
  view: LiveView
  outbox: readonly OutboxEntry[]
  /** Keys of rows that were seen live, by row id; filled here, kept by the caller for the life of the page. */
  names?: Map<number, string>
}

/** A stretch of the past, without anything that is live. */
export const pastTranscript = (rows: readonly MessageRow[], names: Map<number, string>): DisplayItem[] => addStamps(foldOnce(rows, rows).map((item) => plainItem(item, names)))

export function mergeTranscript({ rows, rowsRevision, view, outbox, names = new Map() }: TranscriptInput): DisplayItem[] {
  const { turn } = view
  const anchored = turn && view.historyAnchor !== null ? rows.filter((row) => row.id <= (view.historyAnchor ?? 0)) : turn ? rows.filter((row) => rowAtMs(row) < turn.startedAtMs - CLOCK_SLACK_MS) : rows
  const whole = foldOnce(rows, anchored)
  const fresh = rowsRevision >= view.historyRevision
  const promptAt = turn ? findPrompt(whole, turn, fresh) : -1
  const replaced = turn !== null && isReplaced(whole, turn, promptAt, fresh)
  const history = turn && !replaced && promptAt >= 0 ? whole.slice(0, promptAt + 1) : whole
  const items: DisplayItem[] = []
  const outcomes = view.outcomes.filter((outcome) => replaced || outcome.turnId !== turn?.turnId)
  addHistory(items, history, outcomes, turn ? { turn, promptAt, replaced } : null, names)
  const shown = turn && !replaced ? turn : null
  if (shown) addTurn(items, shown, promptAt >= 0)
  addMessages(items, view, outbox, names, shown ? shown.clientMsgId : turn?.clientMsgId ?? null)
  return addStamps(addAsks(items, view.asks))
}

/** Rows are read seldom and merged with every frame of a stream: what did not change is folded once and keeps its identity. */
const folded = new WeakMap<readonly MessageRow[], { count: number; last: MessageRow | undefined; items: HistoryItem[] }>()
function foldOnce(rows: readonly MessageRow[], anchored: readonly MessageRow[]): HistoryItem[] {
  const known = folded.get(rows)
  if (known && known.count === anchored.length && known.last === anchored.at(-1)) return known.items
  const items = foldHistory(anchored)
  folded.set(rows, { count: anchored.length, last: anchored.at(-1), items })
  return items
}

const rowAtMs = (row: MessageRow): number => (row.timestamp ?? 0) * 1_000

/**
 * The row of the prompt, when the history already holds it. The same words may have been sent a moment before: as long as rows of
 * this turn's answer cannot be here (it runs, or was not read again), a prompt that has its answer belongs to the past.
 */
function findPrompt(items: readonly HistoryItem[], turn: Turn, fresh: boolean): number {
  if (turn.prompt === null) return -1
  const at = items.findLastIndex((item) => item.kind === 'user' && item.text.trim() === turn.prompt?.trim() && item.atMs >= turn.startedAtMs - CLOCK_SLACK_MS)
  const answer = items.slice(at + 1).find((item) => item.kind === 'turn')
  if (at >= 0 && answer && (turn.phase !== 'ended' || (!fresh && answer.atMs < turn.startedAtMs))) return -1
  return at
}

/** True when the rows tell everything that the ended turn told. */
function isReplaced(items: readonly HistoryItem[], turn: Turn, promptAt: number, fresh: boolean): boolean {
  if (turn.phase !== 'ended' || !fresh) return false
  if (turn.prompt !== null && promptAt < 0) return false
  if (turn.blocks.length === 0) return true
  const rest = items.slice(promptAt + 1)
  return rest.some((item) => item.kind === 'turn' && (promptAt >= 0 || item.atMs >= turn.startedAtMs - CLOCK_SLACK_MS))
}

type Known = { turn: Turn; promptAt: number; replaced: boolean }

/** One name for a message from the outbox to its row, and for a turn from its first word to its rows: what is open stays open. */
const promptKey = (turn: Turn): string => (turn.clientMsgId === null ? `prompt-${turn.turnId}` : `msg-${turn.clientMsgId}`)

function addHistory(items: DisplayItem[], history: readonly HistoryItem[], outcomes: readonly Outcome[], known: Known | null, names: Map<number, string>): void {
  const waiting = [...outcomes]
  const turnAt = known?.replaced ? history.findIndex((item, index) => index > known.promptAt && item.kind === 'turn' && (known.promptAt >= 0 || index >= history.length - 1)) : -1
  for (const [index, item] of history.entries()) {
    const lastRow = item.kind === 'turn' ? item.rowIdLast : item.rowId
    const isKnown = known !== null && (index === turnAt || (item.kind === 'user' && index === known.promptAt))
    if (isKnown && known) names.set(item.rowId, item.kind === 'turn' ? `turn-${known.turn.turnId}` : promptKey(known.turn))
    if (!isKnown) items.push(plainItem(item, names))
    else if (item.kind === 'turn') items.push({ kind: 'turn', key: `turn-${known.turn.turnId}`, blocks: enrich(item.blocks, known.turn), atMs: item.atMs, live: null, asks: [], rowIds: [item.rowId, item.rowIdLast] })
    else items.push({ kind: 'user', key: promptKey(known.turn), text: item.text, atMs: item.atMs, clientMsgId: null, way: null, rowIds: [item.rowId, item.rowId] })
    // Hermes keeps no row for a warning (an answer that was cut): it stays below its turn as long as the relay remembers it.
    if (isKnown && known && item.kind === 'turn' && known.turn.outcome?.status === 'complete' && known.turn.outcome.warning) items.push({ kind: 'outcome', key: `outcome-${known.turn.turnId}`, outcome: { turnId: known.turn.turnId, afterRowId: null, prompt: null, outcome: known.turn.outcome, atMs: item.atMs } })
    const nextRow = history[index + 1]?.rowId ?? Number.POSITIVE_INFINITY
    for (const outcome of waiting.filter((o) => o.afterRowId !== null && o.afterRowId >= Math.min(lastRow, item.rowId) && o.afterRowId < nextRow)) {
      items.push({ kind: 'outcome', key: `outcome-${outcome.turnId}`, outcome })
      waiting.splice(waiting.indexOf(outcome), 1)
    }
  }
  for (const outcome of waiting) items.push({ kind: 'outcome', key: `outcome-${outcome.turnId}`, outcome })
}

const plainItems = new WeakMap<HistoryItem, DisplayItem>()
function plainItem(item: HistoryItem, names: ReadonlyMap<number, string>): DisplayItem {
  const key = names.get(item.rowId) ?? `row-${item.rowId}`
  const known = plainItems.get(item)
  if (known?.key === key) return known
  const rowIds: RowIds = [item.rowId, item.kind === 'turn' ? item.rowIdLast : item.rowId]
  const made: DisplayItem = item.kind === 'turn' ? { kind: 'turn', key, blocks: item.blocks, atMs: item.atMs, live: null, asks: [], rowIds }
    : item.kind === 'notice' ? { kind: 'notice', key, text: item.text, rowIds } : { kind: 'user', key, text: item.text, atMs: item.atMs, clientMsgId: null, way: null, rowIds }
  plainItems.set(item, made)
  return made
}

/** Rows know no durations and no changes: what was seen of a step while it ran is put back. */
export const withSeen = (tool: ToolBlock, seen: ToolBlock): ToolBlock => ({ ...tool, caption: tool.caption ?? seen.caption, durationS: tool.durationS ?? seen.durationS, diff: tool.diff ?? seen.diff, todos: tool.todos ?? seen.todos })

function enrich(blocks: readonly Block[], turn: Turn): Block[] {
  return blocks.map((block) => {
    const seen = block.kind === 'tool' ? turn.blocks.find((one) => one.kind === 'tool' && one.toolId === block.toolId) : undefined
    return block.kind === 'tool' && seen?.kind === 'tool' ? withSeen(block, seen) : block
  })
}

function addTurn(items: DisplayItem[], turn: Turn, promptShown: boolean): void {
  if (turn.prompt !== null && !promptShown) items.push({ kind: 'user', key: promptKey(turn), text: turn.prompt, atMs: turn.startedAtMs, clientMsgId: turn.clientMsgId, way: null, rowIds: null })
  items.push({ kind: 'turn', key: `turn-${turn.turnId}`, blocks: turn.blocks, atMs: turn.startedAtMs, live: turn, asks: [], rowIds: null })
}

/** Queued messages live on the composer (the strip), the rest stands at the end of the list. */
function addMessages(items: DisplayItem[], view: LiveView, outbox: readonly OutboxEntry[], names: ReadonlyMap<number, string>, turnMsgId: string | null): void {
  const known = new Set(view.messages.map((message) => message.clientMsgId))
  for (const message of view.messages) {
    if (message.state === 'queued' || message.clientMsgId === turnMsgId) continue
    if (message.rowId !== null && items.some((item) => item.key === `row-${message.rowId}` || item.key === names.get(message.rowId ?? 0))) continue
    items.push({
      kind: 'user', key: `msg-${message.clientMsgId}`, text: message.text, atMs: message.atMs, clientMsgId: message.clientMsgId,
      way: message.state === 'confirmed' ? null : { where: 'relay', state: message.state, reason: message.reason, device: message.device }, rowIds: null,
    })
  }
  for (const entry of outbox) {
    if (known.has(entry.clientMsgId) || entry.clientMsgId === turnMsgId) continue
    items.push({ kind: 'user', key: `msg-${entry.clientMsgId}`, text: entry.text, atMs: entry.atMs, clientMsgId: entry.clientMsgId, way: { where: 'page', phase: entry.phase, say: entry.say, next: entry.next }, rowIds: null })
  }
}

/** Who answered what stands in its turn, also when later turns follow. */
function addAsks(items: DisplayItem[], asks: readonly AskView[]): DisplayItem[] {
  for (const ask of asks) {
    if (ask.state !== 'answered' && ask.state !== 'expired') continue
    const next = items.findIndex((item) => item.kind === 'user' && item.atMs > ask.raisedAtMs)
    const at = items.slice(0, next < 0 ? items.length : next).findLastIndex((item) => item.kind === 'turn')
    const item = items[at]
    if (item?.kind === 'turn') items[at] = { ...item, asks: [...item.asks, ask] }
  }
  return items
}

/** A time before the first item and after every long pause. */
function addStamps(items: readonly DisplayItem[]): DisplayItem[] {
  const out: DisplayItem[] = []
  let lastAtMs = 0
  for (const item of items) {
    const atMs = item.kind === 'user' || item.kind === 'turn' ? item.atMs : 0
    if (atMs > 0) {
      if (item.kind === 'user' && atMs - lastAtMs > STAMP_AFTER_MS) out.push({ kind: 'stamp', key: `stamp-${item.key}`, atMs })
      lastAtMs = Math.max(lastAtMs, atMs)
    }
    out.push(item)
  }
  return out
}
