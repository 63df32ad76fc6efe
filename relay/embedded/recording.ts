/** Recorded wire traffic (`*.gateway.jsonl`), read, and turned into scenarios that the player can play. */
import type { Json } from './player-core.ts'
import { type Scenario, type ScenarioRow, type ScenarioStep, type ScenarioTurn, SLEEP_MS_MAX } from './scenario.ts'

export type RecordingEntry =
  | { ms: number; dir: 'connect'; client: string; url: string }
  | { ms: number; dir: 'send'; client: string; frame?: Json; raw?: string }
  | { ms: number; dir: 'recv'; client: string; frame: Json }
  | { ms: number; dir: 'close'; client: string; code: number | null }
  | { ms: number; dir: 'note'; text: string }
  | { ms: number; dir: 'side'; path: string; status: number; body: unknown }

export const parseRecording = (text: string): RecordingEntry[] => text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as RecordingEntry)

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export type RecordedEvent = { ms: number; type: string; liveId: string | null; payload: Json }

/** The event in an entry, if it is one. */
export function eventOf(entry: RecordingEntry): RecordedEvent | null {
  if (entry.dir !== 'recv' || entry.frame['method'] !== 'event' || !isRecord(entry.frame['params'])) return null
  const { type, session_id, payload } = entry.frame['params']
  return { ms: entry.ms, type: String(type), liveId: typeof session_id === 'string' ? session_id : null, payload: isRecord(payload) ? payload : {} }
}

/** The session that a prompt was sent to, and its text. */
export function promptOf(entry: RecordingEntry): { liveId: string; text: string } | null {
  if (entry.dir !== 'send' || entry.frame?.['method'] !== 'prompt.submit' || !isRecord(entry.frame['params'])) return null
  const { session_id, text } = entry.frame['params']
  return { liveId: String(session_id), text: String(text ?? '') }
}

type Building = { turns: ScenarioTurn[]; prompts: string[]; open: ScenarioStep[] | null; endedMs: number; lastMs: number; prompted: boolean; rows: ScenarioRow[]; text: string; calls: Json[] }

const ASKS: Readonly<Record<string, 'approval' | 'clarify' | 'sudo' | 'secret'>> = {
  'approval.request': 'approval', 'clarify.request': 'clarify', 'sudo.request': 'sudo', 'secret.request': 'secret',
}

/**
 * One scenario per live session that has a turn in the recording, with the prompts that began its turns. Header events
 * (`session.info`) are left to the player; questions wait for their answer instead of for the recorded time.
 */
export function scenariosOf(name: string, entries: readonly RecordingEntry[]): { scenario: Scenario; prompts: string[] }[] {
  const sessions = new Map<string, Building>()
  const of = (liveId: string): Building => {
    const known = sessions.get(liveId) ?? { turns: [], prompts: [], open: null, endedMs: 0, lastMs: 0, prompted: false, rows: [], text: '', calls: [] }
    sessions.set(liveId, known)
    return known
  }
  const pending = new Map<string, string[]>()
  for (const entry of entries) {
    const prompt = promptOf(entry)
    if (prompt) pending.set(prompt.liveId, [...(pending.get(prompt.liveId) ?? []), prompt.text])
    const event = eventOf(entry)
    if (event?.liveId) addEvent(of(event.liveId), event, () => pending.get(event.liveId!)?.shift())
  }
  return [...sessions].filter(([, session]) => session.turns.length > 0).map(([liveId, session]) => ({
    scenario: { name: `${name}_${liveId}`, requires: [], history: [], turns: session.turns }, prompts: session.prompts,
  }))
}

function addEvent(session: Building, event: RecordedEvent, nextPrompt: () => string | undefined): void {
  const { type, payload, ms } = event
  if (type === 'session.info' || type === 'session.title') return
  if (!session.open) {
    if (type !== 'message.start' && type !== 'status.update') return
    const prompt = type === 'message.start' ? nextPrompt() : undefined
    session.open = []
    session.lastMs = ms
    session.turns.push(prompt === undefined && session.turns.length > 0 ? { steps: session.open, unsolicited_after: Math.min(ms - session.endedMs, SLEEP_MS_MAX) } : { steps: session.open })
    if (prompt !== undefined || session.turns.length === 1) session.prompts.push(prompt ?? '')
  }
  const ask = ASKS[type]
  const pauseMs = Math.min(ms - session.lastMs, SLEEP_MS_MAX)
  if (pauseMs > 0 && session.open.at(-1)?.op !== 'ask') session.open.push({ op: 'sleep', milliseconds: pauseMs })
  session.lastMs = ms
  keepRows(session, type, payload)
  if (type === 'message.complete') session.open.push({ op: 'persist', messages: session.rows.splice(0) }, { op: 'set_running', value: false })
  session.open.push(ask ? { op: 'ask', kind: ask, payload, wait: true } : { op: 'event', type, ...(Object.keys(payload).length > 0 ? { payload } : {}), scope: 'exact' })
  if (type !== 'message.complete') return
  session.open.push({ op: 'event', type: 'session.info', payload: { running: false, stored_session_id: '$stored' }, scope: 'exact' })
  session.open = null
  session.endedMs = ms
}

/** What the store would hold after these events. */
function keepRows(session: Building, type: string, payload: Json): void {
  if (type === 'message.interim') session.text = String(payload['text'] ?? '')
  if (type === 'tool.start') session.calls.push({ id: payload['tool_id'], type: 'function', function: { name: payload['name'], arguments: '{}' } })
  if (type === 'tool.complete') {
    if (session.calls.length > 0) session.rows.push({ role: 'assistant', content: session.text, finish_reason: 'tool_calls', tool_calls: session.calls.splice(0) })
    session.text = ''
    session.rows.push({ role: 'tool', content: JSON.stringify(payload['result'] ?? null), tool_call_id: String(payload['tool_id'] ?? ''), tool_name: String(payload['name'] ?? 'tool') })
  }
  if (type !== 'message.complete') return
  const text = typeof payload['text'] === 'string' ? payload['text'] : ''
  if (text !== '' && payload['status'] !== 'error') session.rows.push({ role: 'assistant', content: text, finish_reason: 'stop', reasoning: typeof payload['reasoning'] === 'string' ? payload['reasoning'] : null })
}
