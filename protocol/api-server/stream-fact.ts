/** What a stream of the API server says, in one language for every dialect; what a dialect cannot say it never does. */
import type { AskFact } from '../turn/ask.ts'
import { type Payload, readUsage } from '../turn/payload.ts'
import type { TurnEvent, Usage } from '../turn/turn-event.ts'

export type StreamFact =
  | { kind: 'turn'; event: TurnEvent }
  | { kind: 'ask'; ask: AskFact }
  /** The question was answered, by whomever. */
  | { kind: 'ask_closed'; requestId: string | null; choice: string | null }
  /** The number under which this turn can be stopped or steered, where the server can do that. */
  | { kind: 'run'; runId: string }
  /** The rows of this turn stand under this id; it differs from the requested one when the server moved the conversation. */
  | { kind: 'stored'; storedId: string }
  /** Words that the server could not hand to the agent: they go back to the queue. */
  | { kind: 'steer_back'; text: string }
  | { kind: 'unknown'; event: string }

/** One frame: `event` from its field, else from its JSON. `data` is not JSON: a word like `[DONE]`. */
export type StreamFrame = { event: string; payload: Payload | null; word: string | null }

/** Counts of the whole session (contract api-server.md 17); null where none is said. */
export function fromStreamUsage(value: unknown): Usage | null {
  const read = readUsage(value, { input: ['input_tokens', 'prompt_tokens'], output: ['output_tokens', 'completion_tokens'], total: ['total_tokens'] })
  return read && { ...read, contextPercent: read.contextPercent === null ? null : Math.min(1, Math.max(0, read.contextPercent)) }
}

export const turnFact = (event: TurnEvent): StreamFact => ({ kind: 'turn', event })
export const toolDone = (name: string, toolId: string | null, rest: { failed: boolean; args?: string | null; result?: string | null; durationS?: number | null }): StreamFact =>
  turnFact({ kind: 'tool_done', toolId, name, failed: rest.failed, blocked: false, args: rest.args ?? null, result: rest.result ?? null, error: null, durationS: rest.durationS ?? null, diff: null, todos: null })
