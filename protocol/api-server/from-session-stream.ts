/** The session stream and its older names (contract api-server.md 4.2, 4.3 and *Verified*). Tools have no ids here; the fold pairs them by name. */
import { askFromApiServer } from './ask-from-api-server.ts'
import { asText, type Payload, record, text, textOrNull } from '../turn/payload.ts'
import { fromStreamUsage, type StreamFact, type StreamFrame, toolDone, turnFact } from './stream-fact.ts'

/** Words since the last tool that an echo is compared with: upstream repeats the first 500 characters. */
const ECHO_CHARS_MAX = 1_024

/** `spoken`: the beginning of what was said since the last tool. `answer`: the text that the server calls final. */
export type SessionStreamState = { readonly spoken: string; readonly answer: string | null; readonly interrupted: boolean; readonly ended: boolean }
export const startSessionStream: SessionStreamState = { spoken: '', answer: null, interrupted: false, ended: false }
type Step = { state: SessionStreamState; facts: readonly StreamFact[] }

const TEXT = new Set(['assistant.delta', 'content_delta', 'delta', 'message.delta', 'response.output_text.delta'])
const REASONING = new Set(['thinking_delta', 'reasoning_delta', 'thinking'])
const TOOL_STARTED = new Set(['tool.started', 'tool_start', 'tool_started'])
const TOOL_DONE = new Set(['tool.completed', 'tool_result', 'tool_completed', 'tool.failed', 'tool_failed'])
const WHOLE = new Set(['content_complete', 'complete', 'completed'])
const QUIET = new Set(['message.started', 'tool.pending', 'memory.updated', 'skill.loaded', 'artifact.created', 'response.created', 'response.in_progress', 'reasoning.available'])

export function stepSessionStream(state: SessionStreamState, { event, payload, word }: StreamFrame): Step {
  const stay = (...facts: StreamFact[]): Step => ({ state, facts })
  if (event === 'done' || word === '[DONE]') return end(state, {}, state.answer === null || state.interrupted ? 'interrupted' : 'complete')
  if (!payload) return stay()
  if (TEXT.has(event)) return said(state, text(payload, 'delta', 'content', 'text'))
  if (REASONING.has(event)) return stay(turnFact({ kind: 'reasoning', text: text(payload, 'delta', 'content', 'text') }))
  if (TOOL_STARTED.has(event)) return { state: { ...state, spoken: '' }, facts: [turnFact({ kind: 'tool_started', toolId: textOrNull(payload, 'call_id', 'tool_call_id'), name: toolName(payload), caption: textOrNull(payload, 'preview'), args: asText(payload['args']) })] }
  if (TOOL_DONE.has(event)) return stay(toolDone(toolName(payload), textOrNull(payload, 'call_id', 'tool_call_id'), { failed: event.endsWith('failed'), args: asText(payload['args']), result: textOrNull(payload, 'result', 'output', 'preview') }))
  if (QUIET.has(event)) return stay()
  switch (event) {
    case 'session.created': return stay(...storedOf(payload))
    case 'run.started': return stay(turnFact({ kind: 'started' }), ...runOf(payload))
    case 'tool.progress': return progress(state, payload)
    case 'assistant.commentary': return stay(turnFact({ kind: 'sealed', text: text(payload, 'text'), streamed: payload['already_streamed'] === true }))
    case 'approval.request': return stay(...askFromApiServer(payload))
    case 'assistant.completed': return { state: { ...state, answer: text(payload, 'content'), interrupted: payload['interrupted'] === true }, facts: storedOf(payload) }
    case 'run.completed': case 'response.completed': return end(state, payload, state.interrupted || payload['interrupted'] === true ? 'interrupted' : failedLikeSuccess(payload) ? 'error' : 'complete')
    case 'run.failed': case 'response.failed': case 'error': return end(state, payload, 'error')
    case 'run.cancelled': case 'run.interrupted': return end(state, payload, 'interrupted')
    default: return WHOLE.has(event) ? { state: { ...state, answer: state.answer ?? text(payload, 'content', 'text') }, facts: [] } : stay({ kind: 'unknown', event })
  }
}

function said(state: SessionStreamState, words: string): Step {
  return { state: state.spoken.length >= ECHO_CHARS_MAX ? state : { ...state, spoken: (state.spoken + words).slice(0, ECHO_CHARS_MAX) }, facts: words === '' ? [] : [turnFact({ kind: 'text', text: words })] }
}

/** `_thinking` repeats the answer in every build that was seen; only what does not is a thought. */
function progress(state: SessionStreamState, payload: Payload): Step {
  const words = text(payload, 'delta')
  if (toolName(payload) !== '_thinking') return { state, facts: words === '' ? [] : [turnFact({ kind: 'caption', text: words.slice(0, 200) })] }
  const isEcho = words.trim() === '' || state.spoken.trim().startsWith(words.trim())
  return { state, facts: isEcho ? [] : [turnFact({ kind: 'reasoning', text: words })] }
}

/** The first end counts; what comes behind it changes nothing but where words of a hint go. */
function end(state: SessionStreamState, payload: Payload, status: 'complete' | 'error' | 'interrupted'): Step {
  const back = textOrNull(payload, 'pending_steer')
  const returned: StreamFact[] = back === null ? [] : [{ kind: 'steer_back', text: back }]
  if (state.ended) return { state, facts: returned }
  const error = status === 'error' ? textOrNull(payload, 'error', 'message') ?? textOrNull(record(payload['error']) ?? {}, 'message') ?? state.answer : null
  const ended = turnFact({ kind: 'ended', status, text: status === 'error' ? '' : (state.answer ?? ''), reasoning: thoughtsOf(payload['messages']), error, warning: null, usage: fromStreamUsage(payload['usage']) })
  return { state: { ...state, ended: true }, facts: [...storedOf(payload), ended, ...returned] }
}

/** A failed model call looks like success, but for no messages and no tokens (Verified). */
function failedLikeSuccess(payload: Payload): boolean {
  const usage = fromStreamUsage(payload['usage'])
  return Array.isArray(payload['messages']) && payload['messages'].length === 0 && (usage?.total ?? 0) === 0 && (usage?.input ?? 0) === 0
}

/** Thoughts are told only with the rows at the end; earlier turns may be among them, so those behind the last question count. */
function thoughtsOf(messages: unknown): string | null {
  const rows = Array.isArray(messages) ? messages.flatMap((one) => { const row = record(one); return row ? [row] : [] }) : []
  const own = rows.slice(rows.findLastIndex((row) => row['role'] === 'user') + 1)
  return own.map((row) => text(row, 'reasoning', 'reasoning_content')).filter((words) => words !== '').join('\n\n') || null
}

const toolName = (payload: Payload): string => text(payload, 'tool_name', 'name', 'tool') || 'tool'
const runOf = (payload: Payload): StreamFact[] => { const runId = textOrNull(payload, 'run_id'); return runId === null ? [] : [{ kind: 'run', runId }] }
const storedOf = (payload: Payload): StreamFact[] => { const storedId = textOrNull(payload, 'session_id'); return storedId === null ? [] : [{ kind: 'stored', storedId }] }
