/**
 * Messages on their way to the relay (law 3, lease.md 4). A message is stored before it is sent and kept until the relay says
 * `accepted`; it is sent again under the same id after every reconnect, and the relay's journal makes that harmless. Pure.
 */
import type { NewChatOptions } from '#protocol/live/live-frame.ts'

/** Messages kept unsent; one more stays in the composer. */
export const OUTBOX_MAX = 256
/** Accepted messages remembered until the relay's view shows them. */
export const ACCEPTED_MAX = 32

/** `saving`: not yet safe in this browser; `waiting`: no link; `refused`: the relay said no, a person decides. */
export type OutboxPhase = 'saving' | 'waiting' | 'sending' | 'refused' | 'accepted'
export type OutboxMessage = { clientMsgId: string; session: string; text: string; options: NewChatOptions | null; atMs: number }
export type OutboxEntry = OutboxMessage & { phase: OutboxPhase; say: string | null; next: string | null }
export type OutboxState = { entries: readonly OutboxEntry[]; linkUp: boolean }

export type OutboxInput =
  | { kind: 'written'; message: OutboxMessage }
  | { kind: 'stored'; clientMsgId: string } | { kind: 'store_failed'; clientMsgId: string }
  | { kind: 'loaded'; messages: readonly OutboxMessage[] }
  | { kind: 'link_up' } | { kind: 'link_down' }
  | { kind: 'accepted'; clientMsgId: string }
  | { kind: 'refused'; clientMsgId: string; say: string; next: string }
  | { kind: 'send_again'; clientMsgId: string } | { kind: 'discarded'; clientMsgId: string }
  /** The relay's view shows these, or was replaced as a whole: nothing has to be remembered for it. */
  | { kind: 'seen'; clientMsgIds: readonly string[] }

export type OutboxEffect =
  | { kind: 'store'; message: OutboxMessage } | { kind: 'send'; message: OutboxMessage } | { kind: 'forget'; clientMsgId: string }
  | { kind: 'return_text'; message: OutboxMessage; reason: 'not_stored' | 'full' }

type Step = readonly [OutboxState, ...OutboxEffect[]]
export const initialOutbox: OutboxState = { entries: [], linkUp: false }

export function stepOutbox(state: OutboxState, input: OutboxInput): Step {
  switch (input.kind) {
    case 'written': return onWritten(state, input.message)
    case 'stored': return sendNow(state, input.clientMsgId, (entry) => entry.phase === 'saving')
    case 'store_failed': {
      const entry = find(state, input.clientMsgId)
      return entry?.phase === 'saving' ? [without(state, input.clientMsgId), { kind: 'return_text', message: plain(entry), reason: 'not_stored' }] : [state]
    }
    case 'loaded': {
      const fresh = input.messages.filter((message) => !find(state, message.clientMsgId)).slice(0, OUTBOX_MAX).map((message) => entryOf(message, state.linkUp ? 'sending' : 'waiting'))
      const next = { ...state, entries: [...fresh, ...state.entries] }
      return [next, ...(state.linkUp ? fresh.map(send) : [])]
    }
    case 'link_up': {
      const next = mapPhase({ ...state, linkUp: true }, (entry) => entry.phase === 'waiting' || entry.phase === 'sending', 'sending')
      return [next, ...next.entries.filter((entry) => entry.phase === 'sending').map(send)]
    }
    case 'link_down': return [mapPhase({ ...state, linkUp: false }, (entry) => entry.phase === 'sending', 'waiting')]
    case 'accepted': {
      if (!find(state, input.clientMsgId)) return [state]
      const next = mapPhase(state, (entry) => entry.clientMsgId === input.clientMsgId, 'accepted')
      return [trimAccepted(next), { kind: 'forget', clientMsgId: input.clientMsgId }]
    }
    case 'refused': return [{ ...state, entries: state.entries.map((entry) => (entry.clientMsgId === input.clientMsgId && entry.phase !== 'accepted' ? { ...entry, phase: 'refused', say: input.say, next: input.next } : entry)) }]
    case 'send_again': return sendNow(state, input.clientMsgId, (entry) => entry.phase === 'refused')
    case 'discarded': return find(state, input.clientMsgId) ? [without(state, input.clientMsgId), { kind: 'forget', clientMsgId: input.clientMsgId }] : [state]
    case 'seen': {
      const seen = new Set(input.clientMsgIds)
      const entries = state.entries.filter((entry) => entry.phase !== 'accepted' || !seen.has(entry.clientMsgId))
      return [entries.length === state.entries.length ? state : { ...state, entries }]
    }
  }
}

const find = (state: OutboxState, clientMsgId: string): OutboxEntry | undefined => state.entries.find((entry) => entry.clientMsgId === clientMsgId)
const plain = ({ clientMsgId, session, text, options, atMs }: OutboxEntry): OutboxMessage => ({ clientMsgId, session, text, options, atMs })
const entryOf = (message: OutboxMessage, phase: OutboxPhase): OutboxEntry => ({ ...message, phase, say: null, next: null })
const send = (entry: OutboxEntry): OutboxEffect => ({ kind: 'send', message: plain(entry) })
const without = (state: OutboxState, clientMsgId: string): OutboxState => ({ ...state, entries: state.entries.filter((entry) => entry.clientMsgId !== clientMsgId) })
const mapPhase = (state: OutboxState, which: (entry: OutboxEntry) => boolean, phase: OutboxPhase): OutboxState =>
  ({ ...state, entries: state.entries.map((entry) => (which(entry) ? { ...entry, phase, say: null, next: null } : entry)) })

function onWritten(state: OutboxState, message: OutboxMessage): Step {
  if (find(state, message.clientMsgId)) return [state]
  if (state.entries.filter((entry) => entry.phase !== 'accepted').length >= OUTBOX_MAX) return [state, { kind: 'return_text', message, reason: 'full' }]
  return [{ ...state, entries: [...state.entries, entryOf(message, 'saving')] }, { kind: 'store', message }]
}

/** A message goes out only after those that were written before it in the same conversation are on their way. */
function sendNow(state: OutboxState, clientMsgId: string, may: (entry: OutboxEntry) => boolean): Step {
  const entry = find(state, clientMsgId)
  if (!entry || !may(entry)) return [state]
  const next = mapPhase(state, (other) => other.clientMsgId === clientMsgId, state.linkUp ? 'sending' : 'waiting')
  return state.linkUp ? [next, send(entry)] : [next]
}

function trimAccepted(state: OutboxState): OutboxState {
  const accepted = state.entries.filter((entry) => entry.phase === 'accepted')
  if (accepted.length <= ACCEPTED_MAX) return state
  const drop = new Set(accepted.slice(0, accepted.length - ACCEPTED_MAX))
  return { ...state, entries: state.entries.filter((entry) => !drop.has(entry)) }
}
