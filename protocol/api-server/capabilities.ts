/** What an API server says it can do, which dialect is taken, and what a dialect cannot (contract api-server.md 2.2, 2.3, and *Verified*). Pure. */
import { record } from '../turn/payload.ts'

export type Dialect = 'gateway' | 'sessions' | 'runs' | 'completions'
export const WANTED_DIALECTS = ['auto', 'gateway', 'sessions', 'runs', 'completions'] as const
export type WantedDialect = (typeof WANTED_DIALECTS)[number]
export type ApiFeatures = ReadonlySet<string>

/** Features that are on: `true`, or an object that says `supported`. Null when this is no such answer. */
export function readFeatures(body: unknown): ApiFeatures | null {
  const features = record(record(body)?.['features'])
  if (record(body)?.['object'] !== 'hermes.api_server.capabilities' || !features) return null
  return new Set(Object.entries(features).filter(([, value]) => value === true || (typeof value === 'string' && value !== '') || record(value)?.['supported'] === true).map(([name]) => name))
}

/** `gateway`: what is known of its socket; `unknown` is tried. `features`: null without an API server. */
export type Doors = { gateway: 'ready' | 'unknown' | 'absent'; features: ApiFeatures | null }
export type Chosen = { kind: 'dialect'; dialect: Dialect } | { kind: 'refused'; say: string; next: string }

const NEEDS: Readonly<Record<Exclude<Dialect, 'gateway'>, readonly string[]>> = {
  sessions: ['session_chat_streaming', 'session_resources'], completions: ['chat_completions_streaming'], runs: ['run_submission', 'run_events_sse'],
}
const BEST = ['sessions', 'completions', 'runs'] as const

/** Decided before a turn begins; a turn of which anything was heard is never begun again on another line. */
export function chooseDialect(wanted: WantedDialect, { gateway, features }: Doors): Chosen {
  const can = (dialect: Exclude<Dialect, 'gateway'>): boolean => features !== null && NEEDS[dialect].every((name) => features.has(name))
  if (wanted === 'gateway' || wanted === 'auto') {
    if (gateway !== 'absent') return { kind: 'dialect', dialect: 'gateway' }
    if (wanted === 'gateway') return { kind: 'refused', say: 'This Hermes has no gateway.', next: 'Choose another connection, or start its dashboard.' }
    const best = BEST.find(can)
    return best ? { kind: 'dialect', dialect: best } : { kind: 'refused', say: 'This Hermes offers no way to chat.', next: 'Start its dashboard, or its API server with a key.' }
  }
  return can(wanted) ? { kind: 'dialect', dialect: wanted } : { kind: 'refused', say: `This Hermes does not offer ${NAMES[wanted]}.`, next: 'Choose automatic, or another connection.' }
}
const NAMES = { sessions: 'session streams', runs: 'runs', completions: 'chat completions' } as const

export const CHAT_FEATURES = ['stop', 'steer', 'approve', 'clarify', 'thinking', 'own_history', 'send_later', 'outlive_relay'] as const
export type ChatFeature = (typeof CHAT_FEATURES)[number]

/**
 * Why a dialect cannot do something, as a person reads it before trying; null when it can. `send_later`: words of an outbox may go out
 * by themselves, because what arrived can be read back. `own_history`: the server knows the earlier turns by itself.
 */
export function whyNot(feature: ChatFeature, dialect: Dialect, features: ApiFeatures): string | null {
  if (dialect === 'gateway') return null
  const isNewer = features.has('run_steer') // Builds that can steer also end and ask on session streams.
  if (dialect === 'sessions' && isNewer && (feature === 'stop' || feature === 'steer' || feature === 'approve')) return null
  if (dialect === 'runs' && ((feature === 'stop' && features.has('run_stop')) || (feature === 'approve' && features.has('run_approval_response')) || (feature === 'steer' && isNewer))) return null
  return WHY[dialect][feature]
}

const NO_STEER = 'Words cannot be handed to a running turn on this connection; they wait in the queue.'
const NO_CLARIFY = 'The agent cannot ask questions on this connection.'
const NO_APPROVE = 'On this connection nobody is asked: dangerous commands are refused.'
const NO_RESEND = 'On this connection nobody can tell whether words arrived, so they are only sent when you press Send.'
const WHY: Readonly<Record<Exclude<Dialect, 'gateway'>, Readonly<Record<ChatFeature, string | null>>>> = {
  sessions: { stop: 'A turn cannot be stopped on this connection; it runs to its end.', steer: NO_STEER, approve: NO_APPROVE, clarify: NO_CLARIFY, thinking: null, own_history: null, send_later: null, outlive_relay: null },
  runs: {
    stop: 'This Hermes cannot stop a run.', steer: NO_STEER, approve: NO_APPROVE, clarify: NO_CLARIFY, thinking: 'Thoughts are not told on this connection.',
    own_history: 'The agent forgets earlier turns on this connection; they are sent along each time.', send_later: NO_RESEND, outlive_relay: null,
  },
  completions: {
    stop: null, steer: NO_STEER, approve: NO_APPROVE, clarify: NO_CLARIFY, thinking: 'Thoughts are not told on this connection.',
    own_history: null, send_later: NO_RESEND, outlive_relay: 'A turn ends when the relay restarts.',
  },
}
