/** The events of a run (contract api-server.md 6.3 and *Verified*). */
import { askFromApiServer } from './ask-from-api-server.ts'
import { num, type Payload, text, textOrNull } from '../turn/payload.ts'
import { fromStreamUsage, type StreamFact, type StreamFrame, toolDone, turnFact } from './stream-fact.ts'

export type RunState = { readonly ended: boolean }
export const startRun: RunState = { ended: false }

export function stepRun(state: RunState, { event, payload }: StreamFrame): { state: RunState; facts: readonly StreamFact[] } {
  if (!payload) return { state, facts: [] }
  const stay = (...facts: StreamFact[]) => ({ state, facts })
  switch (event) {
    case 'message.delta': return stay(turnFact({ kind: 'text', text: text(payload, 'delta') }))
    case 'message.interim': return stay(turnFact({ kind: 'sealed', text: text(payload, 'text'), streamed: payload['already_streamed'] === true }))
    case 'reasoning.available': return stay() // It repeats the answer (Verified).
    case 'tool.started': return stay(turnFact({ kind: 'tool_started', toolId: null, name: toolName(payload), caption: textOrNull(payload, 'preview'), args: null }))
    // `error` is a flag, never words.
    case 'tool.completed': return stay(toolDone(toolName(payload), null, { failed: payload['error'] === true, result: textOrNull(payload, 'preview'), durationS: num(payload['duration']) }))
    case 'subagent.start': case 'subagent.complete': return stay(subagent(payload, event === 'subagent.complete'))
    case 'approval.request': return stay(...askFromApiServer(payload))
    case 'approval.responded': return stay({ kind: 'ask_closed', requestId: textOrNull(payload, 'request_id'), choice: textOrNull(payload, 'choice') })
    case 'run.steered': return stay()
    case 'run.completed': return end(state, payload, 'complete')
    case 'run.failed': return end(state, payload, 'error')
    case 'run.cancelled': case 'run.interrupted': return end(state, payload, 'interrupted')
    default: return stay({ kind: 'unknown', event })
  }
}

function end(state: RunState, payload: Payload, status: 'complete' | 'error' | 'interrupted'): { state: RunState; facts: readonly StreamFact[] } {
  if (state.ended) return { state, facts: [] }
  const back = textOrNull(payload, 'pending_steer')
  const ended = turnFact({ kind: 'ended', status, text: text(payload, 'output'), reasoning: null, error: textOrNull(payload, 'error'), warning: null, usage: fromStreamUsage(payload['usage']) })
  return { state: { ended: true }, facts: [ended, ...(back === null ? [] : [{ kind: 'steer_back' as const, text: back }])] }
}

function subagent(payload: Payload, isDone: boolean): StreamFact {
  const status = text(payload, 'status')
  return turnFact({
    kind: 'subagent', index: num(payload['task_index']) ?? 0, count: num(payload['task_count']) ?? 1,
    phase: status === 'failed' || status === 'interrupted' ? 'failed' : isDone ? 'done' : 'running', goal: text(payload, 'goal', 'tool_name').slice(0, 60), note: textOrNull(payload, 'summary', 'tool_name')?.slice(0, 2_000) ?? null,
  })
}

const toolName = (payload: Payload): string => text(payload, 'tool', 'tool_name') || 'tool'
