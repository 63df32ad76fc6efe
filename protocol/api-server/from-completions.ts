/** Chat completions (contract api-server.md 5.2). The end is the last chunk with a reason; `[DONE]` alone is an end that was cut off. */
import { type Payload, record, text, textOrNull } from '../turn/payload.ts'
import { fromStreamUsage, type StreamFact, type StreamFrame, toolDone, turnFact } from './stream-fact.ts'

export const CUT_OFF = 'The answer reached the longest that the model may write.'

export type CompletionsState = { readonly started: boolean; readonly ended: boolean }
export const startCompletions: CompletionsState = { started: false, ended: false }
type Step = { state: CompletionsState; facts: readonly StreamFact[] }

export function stepCompletions(state: CompletionsState, frame: StreamFrame): Step {
  const { event, payload, word } = frame
  if (word === '[DONE]') return state.ended ? { state, facts: [] } : end(state, {}, 'interrupted', null)
  if (!payload) return { state, facts: [] }
  if (event === 'hermes.tool.progress') return { state, facts: tool(payload) }
  const choice = record(Array.isArray(payload['choices']) ? payload['choices'][0] : null)
  if (!choice) return payload['error'] === undefined ? { state, facts: [{ kind: 'unknown', event }] } : end(state, payload, 'error', errorOf(payload))
  const delta = record(choice['delta']) ?? {}
  const facts: StreamFact[] = state.started ? [] : [turnFact({ kind: 'started' })]
  const thought = text(delta, 'reasoning_content', 'reasoning', 'thinking')
  if (thought !== '') facts.push(turnFact({ kind: 'reasoning', text: thought }))
  if (text(delta, 'content') !== '') facts.push(turnFact({ kind: 'text', text: text(delta, 'content') }))
  const started = { ...state, started: true }
  const reason = textOrNull(choice, 'finish_reason')
  if (reason === null) return { state: started, facts }
  const last = end(started, payload, reason === 'error' ? 'error' : 'complete', reason === 'error' ? errorOf(payload) : null, reason === 'length' ? CUT_OFF : null)
  return { state: last.state, facts: [...facts, ...last.facts] }
}

function end(state: CompletionsState, payload: Payload, status: 'complete' | 'error' | 'interrupted', error: string | null, warning: string | null = null): Step {
  if (state.ended) return { state, facts: [] }
  return { state: { ...state, ended: true }, facts: [turnFact({ kind: 'ended', status, text: '', reasoning: null, error, warning, usage: fromStreamUsage(payload['usage']) })] }
}

function tool(payload: Payload): StreamFact[] {
  const name = text(payload, 'tool') || 'tool'
  const toolId = textOrNull(payload, 'toolCallId')
  switch (text(payload, 'status')) {
    case 'running': return [turnFact({ kind: 'tool_started', toolId, name, caption: textOrNull(payload, 'label'), args: null })]
    case 'completed': return [toolDone(name, toolId, { failed: false })]
    case 'failed': case 'error': return [toolDone(name, toolId, { failed: true })]
    default: return [{ kind: 'unknown', event: 'hermes.tool.progress' }]
  }
}

const errorOf = (payload: Payload): string | null => textOrNull(record(payload['error']) ?? {}, 'message') ?? textOrNull(record(payload['hermes']) ?? {}, 'error') ?? textOrNull(payload, 'error')
