/**
 * Upstream gateway events (generation A, and the events of B) turned into facts of ours. Written from contract gateway.md 7
 * and its *Verified* table; unknown kinds come back as `unknown`, so that the caller can count them.
 */
import type { AskFact } from './ask.ts'
import { askFromGateway } from './ask.ts'
import { asText, num, type Payload, readUsage, record, text, textOrNull } from './payload.ts'
import type { Todo, TurnEvent, Usage } from './turn-event.ts'

/** The part of upstream's SessionLiveInfo that we use (contract gateway.md 7.4). */
export type SessionFacts = {
  running: boolean | null; model: string | null; provider: string | null; cwd: string | null; title: string | null
  storedId: string | null; approvalMode: string | null; yolo: boolean; profile: string | null; usage: Usage | null; desktopContract: number | null
}

export type GatewayFact =
  | { kind: 'turn'; event: TurnEvent }
  | { kind: 'ask'; ask: AskFact }
  | { kind: 'ask_expired'; ask: AskFact['kind']; requestId: string | null }
  | { kind: 'info'; info: SessionFacts }
  | { kind: 'title'; storedId: string | null; title: string }
  | { kind: 'reclaimed'; liveId: string | null; storedId: string | null }
  /** The agent begins a turn by itself: a process ended, or it continues after a crash. */
  | { kind: 'notice'; text: string }
  | { kind: 'ignored' }
  | { kind: 'unknown' }

const PROVIDER_WAIT = ['⏳ waiting on ', '⚠ no response from provider in ', '⚠ no output from provider for ', '↻ model returned reasoning with no final answer — asking it to continue']

const IGNORED = new Set([
  'gateway.ready', 'reasoning.available', 'session.usage', 'session.resume_progress', 'skin.changed', 'pet.changed', 'cron.changed', 'sessions.changed',
  'platforms.changed', 'pairing.changed', 'setup.ready', 'agent.terminal.output', 'terminal.close', 'tool.progress', 'tool.output_risk', 'moa.progress',
  'moa.phase', 'moa.aggregating', 'moa.reference', 'review.summary', 'notification.show', 'notification.clear', 'notice', 'background.complete',
  'btw.complete', 'message.reaction', 'reaction', 'message.user', 'tip.show', 'request.cancel', 'terminal.read.request',
])

/** Translates one session event. Total: never throws, whatever the payload holds. */
export function fromGatewayEvent(type: string, payload: Payload): GatewayFact {
  const turn = (event: TurnEvent): GatewayFact => ({ kind: 'turn', event })
  switch (type) {
    case 'message.start': return turn({ kind: 'started' })
    case 'message.delta': return turn({ kind: 'text', text: text(payload, 'text') })
    case 'message.interim': return turn({ kind: 'sealed', text: text(payload, 'text', 'message', 'preview', 'rendered'), streamed: payload['already_streamed'] === true })
    case 'reasoning.delta': return turn(fromReasoning(text(payload, 'text')))
    case 'thinking.delta': return turn({ kind: 'caption', text: text(payload, 'text').slice(0, 200) })
    case 'status.update': return fromStatus(text(payload, 'kind'), text(payload, 'text'))
    case 'tool.generating': return turn({ kind: 'tool_preparing', name: text(payload, 'name') || 'tool' })
    case 'tool.start': return turn({ kind: 'tool_started', toolId: textOrNull(payload, 'tool_id'), name: text(payload, 'name') || 'tool', caption: textOrNull(payload, 'context', 'preview'), args: argsText(payload) })
    case 'tool.complete': return turn(fromToolComplete(payload))
    case 'message.complete': return turn(fromComplete(payload))
    case 'error': return turn({ kind: 'ended', status: 'error', text: text(payload, 'message'), reasoning: null, error: textOrNull(payload, 'message'), warning: null, usage: null })
    case 'session.info': return { kind: 'info', info: fromSessionInfo(payload) }
    case 'session.title': return { kind: 'title', storedId: textOrNull(payload, 'session_id'), title: text(payload, 'title') }
    case 'session.reclaimed': return { kind: 'reclaimed', liveId: textOrNull(payload, 'session_id'), storedId: textOrNull(payload, 'stored_session_id') }
    case 'clarify.request': case 'approval.request': case 'sudo.request': case 'secret.request': {
      const ask = askFromGateway(type, payload)
      return ask ? { kind: 'ask', ask } : { kind: 'unknown' }
    }
    case 'clarify.expire': case 'approval.expire': case 'sudo.expire': case 'secret.expire':
      return { kind: 'ask_expired', ask: type.slice(0, -'.expire'.length) as AskFact['kind'], requestId: textOrNull(payload, 'request_id') }
    default:
      if (type.startsWith('subagent.')) return fromSubagent(type.slice('subagent.'.length), payload)
      return IGNORED.has(type) || /^(voice|wake|preview|browser|connection)\./.test(type) ? { kind: 'ignored' } : { kind: 'unknown' }
  }
}

const fromReasoning = (words: string): TurnEvent =>
  PROVIDER_WAIT.some((prefix) => words.trimStart().startsWith(prefix)) ? { kind: 'status', topic: 'provider_wait', text: words.trim() } : { kind: 'reasoning', text: words }

function fromStatus(topic: string, words: string): GatewayFact {
  if (topic === 'process') return { kind: 'notice', text: words }
  return { kind: 'turn', event: { kind: 'status', topic, text: words } }
}

const argsText = (payload: Payload): string | null => asText(payload['args']) ?? textOrNull(payload, 'args_text')

/** Failed means `error`, `result.error`, or `result.status: "blocked"`; an exit code is information (Verified 5). */
function fromToolComplete(payload: Payload): Extract<TurnEvent, { kind: 'tool_done' }> {
  const result = record(payload['result'])
  const blocked = result?.['status'] === 'blocked'
  const error = textOrNull(payload, 'error') ?? asText(result?.['error'] || null)
  const todos = Array.isArray(payload['todos']) ? payload['todos'].flatMap(fromTodo) : null
  return {
    kind: 'tool_done', toolId: textOrNull(payload, 'tool_id'), name: text(payload, 'name') || 'tool', failed: error !== null || blocked, blocked,
    args: argsText(payload), result: resultText(payload), error, durationS: num(payload['duration_s']), diff: textOrNull(payload, 'inline_diff'), todos,
  }
}

/** `result_text`, then `result` (a string, or its `output`), then `summary` (contract gateway.md 7.3). */
function resultText(payload: Payload): string | null {
  const plain = textOrNull(payload, 'result_text')
  if (plain !== null) return plain
  const result = payload['result']
  if (typeof result === 'string' && result !== '') return result
  const output = record(result)?.['output']
  if (typeof output === 'string') return output
  return textOrNull(payload, 'summary') ?? asText(result)
}

const fromTodo = (value: unknown): Todo[] => {
  const todo = record(value)
  return todo ? [{ text: text(todo, 'content', 'text', 'title'), state: text(todo, 'status', 'state') || 'pending' }] : []
}

function fromComplete(payload: Payload): TurnEvent {
  const status = text(payload, 'status')
  return {
    kind: 'ended', status: status === 'error' || status === 'interrupted' ? status : 'complete', text: text(payload, 'text'),
    reasoning: textOrNull(payload, 'reasoning'), error: textOrNull(payload, 'error', 'failure_reason'), warning: textOrNull(payload, 'warning'), usage: fromUsage(payload['usage']),
  }
}

/** Cumulative usage; `null` when no key is present (contract gateway.md 7.2). */
export const fromUsage = (value: unknown): Usage | null => readUsage(value, { input: ['input', 'prompt'], output: ['output', 'completion'], total: ['total'] })

const SUBAGENT_FAILED = new Set(['failed', 'interrupted'])

function fromSubagent(word: string, payload: Payload): GatewayFact {
  const status = text(payload, 'status')
  const phase = SUBAGENT_FAILED.has(status) ? 'failed' : word === 'complete' ? 'done' : 'running'
  return {
    kind: 'turn',
    event: {
      kind: 'subagent', index: num(payload['task_index']) ?? 0, count: num(payload['task_count']) ?? 1, phase, goal: text(payload, 'goal').slice(0, 60),
      note: textOrNull(payload, 'summary', 'tool_preview', 'tool_name', 'text')?.slice(0, 2_000) ?? null,
    },
  }
}

/** Reads SessionLiveInfo; prose and keys that we do not show (`system_prompt`) are left out. */
export function fromSessionInfo(payload: Payload): SessionFacts {
  return {
    running: typeof payload['running'] === 'boolean' ? payload['running'] : null, model: textOrNull(payload, 'model'), provider: textOrNull(payload, 'provider'),
    cwd: textOrNull(payload, 'cwd'), title: textOrNull(payload, 'title'), storedId: textOrNull(payload, 'stored_session_id'),
    approvalMode: textOrNull(payload, 'approval_mode'), yolo: payload['yolo'] === true, profile: textOrNull(payload, 'profile_name'),
    usage: fromUsage(payload['usage']), desktopContract: num(payload['desktop_contract']),
  }
}
