/**
 * What the lease writes down (lease.md 3): every message before it is sent, every question before it is shown, every outcome
 * that upstream keeps no row for. Async by promise; a rejected write means: refuse, never acknowledge.
 */
import type { AskView } from '#protocol/turn/ask.ts'
import type { NewChatOptions } from '#protocol/live/live-frame.ts'
import type { MessageState, Outcome } from '#protocol/live/live-view.ts'

/** `removed` is not a state that anyone sees: the row stays so that a late repeat of the same id is recognised. */
export type StoredMessageState = MessageState | 'removed'

export type StoredMessage = {
  clientMsgId: string; key: string; deviceId: string; deviceName: string; text: string; state: StoredMessageState
  /** Order in the queue; a moved message gets a number between its neighbours. */
  position: number
  /** Highest row id before the submit: only a row above it can be this message. */
  baselineRowId: number | null
  rowId: number | null; resends: number; reason: string | null; atMs: number
}

export type StoredSession = {
  key: string; profile: string | null; storedId: string | null; liveId: string | null; running: boolean; held: boolean; options: NewChatOptions | null
}

/** `via`: how it must be answered: a respond RPC, or a JSON-RPC response (contract gateway.md 6.1, 6.2). */
export type StoredAsk = { key: string; view: AskView; liveId: string; requestId: string | null; via: 'event' | 'request'; choice: string | null }

export type LoadedLease = { session: StoredSession; messages: StoredMessage[]; asks: StoredAsk[]; outcomes: Outcome[] }

/** Outcomes kept per conversation. */
export const OUTCOMES_MAX = 20
/** Settled messages are forgotten after this long, in ms; until then a repeat of the same id is recognised. */
export const SETTLED_KEPT_MS = 30 * 24 * 3_600_000

export type Tombstone = { storedId: string; profile: string | null; executeAtMs: number }

export interface Journal {
  /** The lease of this key, or of the conversation whose stored id this is. */
  load(keyOrStoredId: string): Promise<LoadedLease | null>
  /** Keys of conversations with something unfinished: a message on its way or queued, an open question, a running turn. */
  unfinished(): Promise<string[]>
  /** Writes a new message, or returns the one that has this id already: at most one per `client_msg_id` (I1). */
  accept(message: StoredMessage): Promise<StoredMessage | null>
  saveMessage(message: StoredMessage): Promise<void>
  saveSession(session: StoredSession, nowMs: number): Promise<void>
  saveAsk(ask: StoredAsk): Promise<void>
  saveOutcome(key: string, outcome: Outcome): Promise<void>
  /** Deletes what settled before this time. */
  prune(beforeMs: number): Promise<void>
  addTombstone(tombstone: Tombstone): Promise<void>
  removeTombstone(storedId: string): Promise<boolean>
  tombstones(): Promise<Tombstone[]>
}

export const MESSAGE_UNFINISHED: readonly StoredMessageState[] = ['queued', 'sending', 'sent', 'checking', 'steering']
/** Shown to the person until they decide or the turn is over. */
export const MESSAGE_SHOWN: readonly StoredMessageState[] = [...MESSAGE_UNFINISHED, 'failed', 'unconfirmed']
