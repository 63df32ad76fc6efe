/**
 * Stored rows as a transcript: a user's message, then one turn of the agent with its thinking, tools and text in the same
 * blocks that the live fold makes. So a finished turn looks the same before and after a reload (lease.md I8). Pure.
 */
import { type MessageRow, rowText } from '../dashboard/message-row.ts'
import { isSilenceMarker } from './silence.ts'
import type { Block, ToolBlock } from './turn-fold.ts'

export type HistoryItem =
  | { kind: 'user'; rowId: number; text: string; atMs: number }
  /** Injected by the server: a process ended, a delegation came back. */
  | { kind: 'notice'; rowId: number; text: string; atMs: number }
  | { kind: 'turn'; rowId: number; rowIdLast: number; blocks: Block[]; atMs: number; finish: string | null }

/** Items in the order of the rows. Hidden rows and system prose are left out (contract gateway.md 13, 10.4). */
export function foldHistory(rows: readonly MessageRow[]): HistoryItem[] {
  const items: HistoryItem[] = []
  for (const row of rows) {
    if (row.display_kind === 'hidden') continue
    const text = rowText(row)
    const atMs = Math.round((row.timestamp ?? 0) * 1_000)
    if (row.role === 'user') {
      if (text.startsWith('[System:')) continue
      items.push(isNotice(row, text) ? { kind: 'notice', rowId: row.id, text, atMs } : { kind: 'user', rowId: row.id, text, atMs })
    } else if (row.role === 'assistant') {
      const turn = openTurn(items, row.id, atMs)
      addAssistant(turn, row, text)
    } else if (row.role === 'tool') {
      addToolResult(openTurn(items, row.id, atMs), row, text)
    }
  }
  return items
}

const NOTICE = /^\[(?:IMPORTANT: Background process|ASYNC DELEGATION BATCH COMPLETE)/
const NOTICE_KINDS = new Set(['model_switch', 'async_delegation_complete', 'auto_continue'])
const isNotice = (row: MessageRow, text: string): boolean => NOTICE.test(text) || (typeof row.display_kind === 'string' && NOTICE_KINDS.has(row.display_kind))

type TurnItem = Extract<HistoryItem, { kind: 'turn' }>

function openTurn(items: HistoryItem[], rowId: number, atMs: number): TurnItem {
  const last = items.at(-1)
  if (last?.kind === 'turn') {
    last.rowIdLast = rowId
    return last
  }
  const turn: TurnItem = { kind: 'turn', rowId, rowIdLast: rowId, blocks: [], atMs, finish: null }
  items.push(turn)
  return turn
}

function addAssistant(turn: TurnItem, row: MessageRow, text: string): void {
  const reasoning = row.reasoning || row.reasoning_content || ''
  if (reasoning !== '') turn.blocks.push({ kind: 'thinking', text: reasoning })
  if (text.trim() !== '' && !isSilenceMarker(text)) turn.blocks.push({ kind: 'text', text, sealed: true })
  for (const [index, call] of (row.tool_calls ?? []).entries()) turn.blocks.push(toolBlock(call.id ?? call.call_id ?? `row-${row.id}-${index}`, call.function?.name ?? 'tool', call.function?.arguments ?? null))
  turn.finish = row.finish_reason ?? turn.finish
}

const toolBlock = (toolId: string, name: string, args: string | null): ToolBlock => ({
  kind: 'tool', toolId, name, state: 'running', identified: true, caption: null, args, result: null, error: null, blocked: false, durationS: null, diff: null, todos: null,
})

function addToolResult(turn: TurnItem, row: MessageRow, text: string): void {
  const toolId = row.tool_call_id ?? `row-${row.id}`
  const at = turn.blocks.findIndex((block) => block.kind === 'tool' && block.toolId === toolId)
  const block = at >= 0 ? (turn.blocks[at] as ToolBlock) : toolBlock(toolId, row.tool_name ?? 'tool', null)
  const read = readToolResult(text)
  const done: ToolBlock = { ...block, state: read.error !== null || read.blocked ? 'failed' : 'done', result: read.result, error: read.error, blocked: read.blocked }
  if (at >= 0) turn.blocks[at] = done
  else turn.blocks.push(done)
}

/** Tool rows hold JSON text; `output` is what the person reads, `error` and `status: "blocked"` mean failed (Verified 5). */
export function readToolResult(text: string): { result: string | null; error: string | null; blocked: boolean } {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { result: text === '' ? null : text, error: null, blocked: false }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { result: text, error: null, blocked: false }
  const record = parsed as Record<string, unknown>
  const blocked = record['status'] === 'blocked'
  const error = typeof record['error'] === 'string' && record['error'] !== '' ? record['error'] : record['error'] ? JSON.stringify(record['error']) : null
  return { result: typeof record['output'] === 'string' ? record['output'] : text, error, blocked }
}
