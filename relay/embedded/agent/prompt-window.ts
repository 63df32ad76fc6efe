/**
 * What of a conversation goes to the model. Pure. Whole older turns are left out first, oldest first; a call is never parted from its
 * result; what was asked last always goes. Every call has exactly one result, because no model reads it otherwise.
 */
import { STOPPED_IN_TOOL, type AgentRow } from './agent-repo.ts'
import type { ModelMessage } from './model-client.ts'

/** Tokens of a prompt unless the person says otherwise. */
export const CONTEXT_TOKENS_MAX = 32_768
/** Kept free for the answer. */
const ANSWER_SHARE = 0.25
/** Four characters are about one token; roles and ids of a message are about four more. */
const CHARS_PER_TOKEN = 4
const MESSAGE_TOKENS = 4
const LEFT_OUT = '[left out: it no longer fits]'

export type PromptWindow = { messages: ModelMessage[]; tokens: number; turnsLeftOut: number }

export function tokensOf(message: ModelMessage): number {
  const chars = (message.content ?? '').length + (message.tool_calls ? JSON.stringify(message.tool_calls).length : 0)
  return MESSAGE_TOKENS + Math.ceil(chars / CHARS_PER_TOKEN)
}

const total = (messages: readonly ModelMessage[]): number => messages.reduce((sum, message) => sum + tokensOf(message), 0)

/** `toolTokens`: what the descriptions of the tools take. */
export function promptWindow(system: string, rows: readonly AgentRow[], tokensMax: number, toolTokens: number): PromptWindow {
  const head: ModelMessage = { role: 'system', content: system }
  const room = Math.floor(tokensMax * (1 - ANSWER_SHARE)) - tokensOf(head) - toolTokens
  const turns = turnsOf(rows).map(messagesOf)
  let kept = turns.length === 0 ? 0 : turns.length - 1
  let tokens = total(turns[kept] ?? [])
  while (kept > 0 && tokens + total(turns[kept - 1]!) <= room) {
    kept -= 1
    tokens += total(turns[kept]!)
  }
  const messages = turns.slice(kept).flat()
  const fitting = tokens > room ? shorten(messages, room) : messages
  return { messages: [head, ...fitting], tokens: tokensOf(head) + toolTokens + total(fitting), turnsLeftOut: kept }
}

/** A turn is what a person wrote and everything up to their next message. */
function turnsOf(rows: readonly AgentRow[]): AgentRow[][] {
  const turns: AgentRow[][] = []
  for (const row of rows) {
    const last = turns.at(-1)
    if (row.role === 'user' || !last) turns.push([row])
    else last.push(row)
  }
  return turns
}

function messagesOf(rows: readonly AgentRow[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  const results = new Map(rows.flatMap((row) => (row.role === 'tool' && row.tool_call_id !== null ? [[row.tool_call_id, row.content] as const] : [])))
  for (const row of rows) {
    if (row.role === 'tool') continue // Told right behind its call.
    if (row.role === 'user' || !row.tool_calls?.length) {
      if (row.content !== '') messages.push({ role: row.role, content: row.content })
      continue
    }
    messages.push({ role: 'assistant', content: row.content === '' ? null : row.content, tool_calls: row.tool_calls.map(({ id, function: fn }) => ({ id, type: 'function', function: fn })) })
    for (const call of row.tool_calls) messages.push({ role: 'tool', tool_call_id: call.id, content: results.get(call.id) ?? JSON.stringify({ output: '', error: STOPPED_IN_TOOL }) })
  }
  return messages
}

/** One turn alone is too long: its results are left out, oldest first, then the words in their middle. */
function shorten(messages: readonly ModelMessage[], room: number): ModelMessage[] {
  const short = [...messages]
  let over = total(short) - room
  const replace = (at: number, content: string): void => {
    const before = tokensOf(short[at]!)
    short[at] = { ...short[at]!, content }
    over -= before - tokensOf(short[at]!)
  }
  for (const [at, message] of messages.entries()) {
    if (over <= 0) return short
    const isLast = at === messages.length - 1
    if (message.role === 'tool' && !isLast && (message.content ?? '').length > LEFT_OUT.length) replace(at, LEFT_OUT)
  }
  const longest = short.map((message, at) => ({ at, length: (message.content ?? '').length })).sort((a, b) => b.length - a.length)
  for (const { at, length } of longest) {
    if (over <= 0) return short
    const keep = Math.max(200, length - over * CHARS_PER_TOKEN - LEFT_OUT.length - 8)
    if (keep < length) replace(at, cutMiddle(short[at]!.content ?? '', keep, LEFT_OUT))
  }
  return short
}

/** The beginning and the end of a text, `charsMax` of it, with `note` between them. */
export function cutMiddle(text: string, charsMax: number, note: string): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  return `${text.slice(0, half)}\n${note}\n${text.slice(text.length - half)}`
}
