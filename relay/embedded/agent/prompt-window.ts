/**
 * What of a conversation goes to the model. Pure. Long arguments of calls in older turns are cut first, then whole older turns are left
 * out, oldest first; a call is never parted from its result; what was asked last always goes. Every call has exactly one result, and no
 * two messages of the person follow each other (a failed turn leaves no answer between them), because servers refuse it otherwise.
 */
import { STOPPED_IN_TOOL, type AgentRow, type WireCall } from './agent-repo.ts'
import type { ModelMessage } from './model-client.ts'

/** Tokens of a prompt unless the person says otherwise. */
export const CONTEXT_TOKENS_MAX = 32_768
/** Kept free for the answer. */
const ANSWER_SHARE = 0.25
/** Four characters are about one token; roles and ids of a message are about four more. */
const CHARS_PER_TOKEN = 4
const MESSAGE_TOKENS = 4
const LEFT_OUT = '[left out: it no longer fits]'
/** What is kept of a long text in the arguments of a call, and of the arguments altogether, in UTF-16 units. */
export const ARGUMENT_CHARS_MAX = 400
export const ARGUMENTS_CHARS_MAX = 4_000

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
  const newest = turns.at(-1) ?? []
  const isTight = total(turns.flat()) > room
  const fitting = turns.map((turn) => (isTight && turn !== newest ? turn.map(cutArguments) : turn))
  let kept = Math.max(0, turns.length - 1)
  let tokens = total(newest)
  while (kept > 0 && tokens + total(fitting[kept - 1]!) <= room) {
    kept -= 1
    tokens += total(fitting[kept]!)
  }
  for (let at = turns.length - 2; at >= kept; at -= 1) { // What has room after all is told in full, the newest first.
    const more = total(turns[at]!) - total(fitting[at]!)
    if (tokens + more > room) break
    fitting[at] = turns[at]!
    tokens += more
  }
  const messages = mergeQuestions(fitting.slice(kept).flat())
  const told = tokens > room ? shorten(messages, room) : messages
  return { messages: [head, ...told], tokens: tokensOf(head) + toolTokens + total(told), turnsLeftOut: kept }
}

/** Messages of the person with nothing between them become one. */
function mergeQuestions(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last?.role === 'user' && message.role === 'user') merged[merged.length - 1] = { role: 'user', content: `${last.content}\n\n${message.content}` }
    else merged.push(message)
  }
  return merged
}

/** The same calls with shorter texts in their arguments, which stay valid JSON. */
function cutArguments(message: ModelMessage): ModelMessage {
  const calls = message.tool_calls as WireCall[] | undefined
  if (!calls?.some((call) => call.function.arguments.length > ARGUMENT_CHARS_MAX)) return message
  return { ...message, tool_calls: calls.map((call) => ({ ...call, function: { ...call.function, arguments: shorterArguments(call.function.arguments) } })) }
}

export function shorterArguments(text: string): string {
  if (text.length <= ARGUMENT_CHARS_MAX) return text
  const none = JSON.stringify({ left_out: `${text.length} characters` })
  try {
    const shorter = JSON.stringify(JSON.parse(text, (_name, value: unknown) => (typeof value === 'string' ? cutMiddle(value, ARGUMENT_CHARS_MAX, (count) => `[${count} characters left out]`) : value)))
    return shorter.length > ARGUMENTS_CHARS_MAX ? none : shorter.length < text.length ? shorter : text
  } catch {
    return none // Too deep, or no JSON at all.
  }
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

/** One turn alone is too long: its results are left out, oldest first, then the long texts in its calls, then the words in their middle. */
function shorten(messages: readonly ModelMessage[], room: number): ModelMessage[] {
  const short = [...messages]
  let over = total(short) - room
  const put = (at: number, message: ModelMessage): void => {
    over -= tokensOf(short[at]!) - tokensOf(message)
    short[at] = message
  }
  const replace = (at: number, content: string): void => put(at, { ...short[at]!, content })
  for (const [at, message] of messages.entries()) {
    if (over <= 0) return short
    const isLast = at === messages.length - 1
    if (message.role === 'tool' && !isLast && (message.content ?? '').length > LEFT_OUT.length) replace(at, LEFT_OUT)
  }
  for (const [at, message] of messages.entries()) {
    if (over <= 0) return short
    put(at, cutArguments(message))
  }
  const longest = short.map((message, at) => ({ at, length: (message.content ?? '').length })).sort((a, b) => b.length - a.length)
  for (const { at, length } of longest) {
    if (over <= 0) return short
    const keep = Math.max(200, length - over * CHARS_PER_TOKEN - LEFT_OUT.length - 8)
    if (keep < length) replace(at, cutMiddle(short[at]!.content ?? '', keep, () => LEFT_OUT))
  }
  return short
}

/** The beginning and the end of a text, at most `charsMax` of it, with `note` (told how much is missing) between them. No character is cut in two. */
export function cutMiddle(text: string, charsMax: number, note: (count: number) => string): string {
  if (text.length <= charsMax) return text
  const half = Math.floor(charsMax / 2)
  const begin = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, '')
  return `${begin}\n${note(text.length - begin.length - end.length)}\n${end}`
}
