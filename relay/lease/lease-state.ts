/** The lease of one conversation as data: what it knows, what may happen to it (inputs), what it wishes (effects). Pure. */
import type { AnswerBody, NewChatOptions } from '#protocol/live/live-frame.ts'
import { emptyView, type LiveView, type ViewEvent } from '#protocol/live/live-view.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import type { AskFact } from '#protocol/turn/ask.ts'
import type { GatewayFact } from '#protocol/turn/from-gateway.ts'
import type { TurnEnded } from '#protocol/turn/turn-event.ts'
import type { ActiveSession } from './gateway-link.ts'
import type { LoadedLease, StoredAsk, StoredMessage, StoredSession } from './journal.ts'
import type { RowsRead } from './row-reader.ts'
import type { RpcOutcome } from './rpc-socket.ts'

/**
 * The one message on its way (lease.md 4). `op` names the answer that this stage waits for: an older answer is ignored.
 * `confirm`: Hermes took it, its row is looked for. `doubt`: the answer was lost; it is looked whether the message arrived.
 */
/** The steps before a submit. */
export type Preparing = { stage: 'status' | 'create' | 'resume' | 'vanished' | 'baseline'; msgId: string; op: number; retries: number }

export type Delivery =
  | { stage: 'rest' }
  | Preparing
  | { stage: 'configure'; msgId: string; op: number; todo: RpcWish[] }
  | { stage: 'submit'; msgId: string; op: number; turnSeen: boolean; retries: number }
  | { stage: 'confirm'; msgId: string; op: number; reads: number; turnEnded: boolean }
  | { stage: 'doubt'; msgId: string; op: number; step: 'link' | 'status' | 'rows' | 'pause'; absentAtMs: number | null; ran: boolean }

export type RpcWish = { method: string; params: Record<string, unknown> }

/** Finding back to a running turn after the line was lost, or taking it over. */
export type Recovery =
  | { step: 'none' }
  | { step: 'status' | 'settle' | 'rows' | 'bind'; op: number; takeover: boolean; liveId: string | null; rows: RowsRead | null }

export type LeaseState = {
  key: string
  profile: string | null
  options: NewChatOptions | null
  liveId: string | null
  link: { up: boolean; gen: number }
  /** Generation of the socket that this session's events come to; null when they do not come to us. */
  boundGen: number | null
  view: LiveView
  /** The queue and everything unsettled, by position. */
  messages: StoredMessage[]
  asks: StoredAsk[]
  /** Which question an answer on its way belongs to, by `op`. */
  askOps: Record<number, string>
  /** Answers to secrets and passwords on their way; only here, never stored. */
  secrets: Record<string, string>
  delivery: Delivery
  recovery: Recovery
  /** Facts that arrived while the turn is being re-read. */
  buffer: GatewayFact[]
  /** An end that waits until the answer to a question is acknowledged (gateway.md 6.1). */
  heldEnd: TurnEnded | null
  stopWanted: boolean
  steerOps: Record<number, string>
  lastFactMs: number
  /** Highest row id known, null before the first read. */
  rowIdMax: number | null
  /** Rows above this one belong to the running turn. */
  turnBaseline: number | null
  op: number
  turns: number
  epoch: string
  /** Reads of the rows after a turn, still to come. */
  finalReads: number
  silence: { checks: number; op: number; rowIdMax: number | null }
  /** `known`: highest row before the look; `live`: Hermes listed the conversation; `unheardAtMs`: it worked there, and nothing was heard of it. */
  watch: { subscribers: number; op: number; looks: number; known: number | null; live: boolean; unheardAtMs: number | null }
  askWaitS: Record<AskFact['kind'], number>
  /** Kinds of upstream events that nobody knows yet, for diagnostics. */
  unknownFacts: number
  wasRunning: boolean
  /** The relay was away during this turn: a question may have been asked that nobody heard (lease.md 7a). */
  mayHaveMissedAsk: boolean
  /** Hermes forgot a conversation that never had a row: it is made anew. */
  vanished: boolean
  /** Live session that took every choice made at New chat. */
  configured: string | null
  /** Messages that run a failed turn again, with the turn that they replace. Only in memory: after a restart they are ordinary messages. */
  retryOf: Readonly<Record<string, string>>
  /** A person changed what this conversation runs with: it is set before the next message is submitted. */
  chosen: boolean
  /** The session could not be written down; it is, before anything more is submitted. */
  unsaved: boolean
}

export type LeaseInput =
  | { kind: 'message_accepted'; message: StoredMessage; options: NewChatOptions | null; retryOf?: string }
  | { kind: 'settings_chosen'; model: string | null; provider: string | null; yolo: boolean | null; cmd: number }
  | { kind: 'ask_answered'; askId: string; answer: AnswerBody; device: string; cmd: number }
  | { kind: 'stop_pressed'; cmd: number }
  | { kind: 'message_edited'; clientMsgId: string; text: string; cmd: number }
  | { kind: 'message_moved'; clientMsgId: string; before: string | null; cmd: number }
  | { kind: 'message_removed'; clientMsgId: string; cmd: number }
  | { kind: 'queue_released'; cmd: number }
  | { kind: 'message_resolved'; clientMsgId: string; verdict: 'send_again' | 'arrived' | 'discard'; cmd: number }
  | { kind: 'takeover_pressed'; cmd: number }
  | { kind: 'fact'; fact: GatewayFact }
  | { kind: 'request_raised'; ask: AskFact; rpcId: string }
  | { kind: 'request_cancelled'; rpcId: string; reason: string }
  | { kind: 'link_up'; gen: number }
  | { kind: 'link_down' }
  | { kind: 'rpc_done'; op: number; outcome: RpcOutcome }
  | { kind: 'rows_read'; op: number; read: RowsRead }
  | { kind: 'status_read'; op: number; active: ActiveSession | null; failed: boolean }
  | { kind: 'timer_fired'; name: TimerName }
  /** A write failed. `unsent`: the submit that it announced, which therefore was not sent. */
  | { kind: 'store_failed'; code: RefusalCode; unsent: number | null }
  /** Facts were dropped because too many waited: what is shown of the turn may lack words. */
  | { kind: 'flooded' }
  | { kind: 'subscribers_changed'; count: number }
  | { kind: 'ask_wait_learned'; askWaitS: Partial<Record<AskFact['kind'], number>> }

/** An input with the time at which it happened. */
export type Timed = { nowMs: number; input: LeaseInput }

export type TimerName = 'drain' | 'confirm' | 'doubt' | 'recover' | 'silence' | 'final' | 'watch' | 'asks'

export type LeaseEffect =
  | { kind: 'rpc'; op: number; method: string; params: Record<string, unknown> }
  | { kind: 'respond'; op: number; rpcId: string; result: Record<string, unknown> }
  | { kind: 'read_status'; op: number; via: 'side' | 'main' }
  | { kind: 'read_rows'; op: number; after: number | null }
  | { kind: 'timer'; name: TimerName; delayMs: number }
  | { kind: 'clear_timer'; name: TimerName }
  | { kind: 'emit'; event: ViewEvent }
  | { kind: 'save_message'; message: StoredMessage }
  | { kind: 'save_session'; session: StoredSession }
  | { kind: 'save_ask'; ask: StoredAsk }
  | { kind: 'save_outcome'; outcome: LiveView['outcomes'][number] }
  | { kind: 'settle'; cmd: number; refusal: RefusalCode | null; detail?: Record<string, unknown> }

export const initialLease = (key: string, profile: string | null, session: string, epoch: string, askWaitS: LeaseState['askWaitS']): LeaseState => ({
  key, profile, options: null, liveId: null, link: { up: false, gen: 0 }, boundGen: null, view: emptyView(session), messages: [], asks: [], askOps: {}, secrets: {},
  delivery: { stage: 'rest' }, recovery: { step: 'none' }, buffer: [], heldEnd: null, stopWanted: false, steerOps: {}, lastFactMs: 0, rowIdMax: null, turnBaseline: null, op: 0, turns: 0, epoch, finalReads: 0,
  silence: { checks: 0, op: -1, rowIdMax: null }, watch: { subscribers: 0, op: -1, looks: 0, known: null, live: false, unheardAtMs: null }, askWaitS, unknownFacts: 0, wasRunning: false, mayHaveMissedAsk: false, vanished: false,
  configured: null, retryOf: {}, chosen: false, unsaved: false,
})

/**
 * A lease as it comes back after the relay was away. What was on its way is in doubt; a hint whose fate nobody knows is
 * unconfirmed; an answer that is no secret is given again, the same one (I6).
 */
export function restoreLease(fresh: LeaseState, loaded: LoadedLease): LeaseState {
  const messages = loaded.messages.map((m): StoredMessage => {
    if (m.state === 'sending' || m.state === 'sent') return { ...m, state: 'checking' }
    if (m.state === 'steering') return { ...m, state: 'unconfirmed', reason: 'The relay stopped while this hint was on its way.' }
    return m
  })
  const doubted = messages.find((m) => m.state === 'checking')
  const taken = loaded.messages.some((m) => m.clientMsgId === doubted?.clientMsgId && m.state === 'sent') // Hermes had said yes: it may have run.
  const asks = loaded.asks.map((ask): StoredAsk => (ask.view.state === 'answering' && ask.choice === null ? { ...ask, view: { ...ask.view, state: 'open', answeredBy: null, answer: null } } : ask))
  const { session } = loaded
  return {
    ...fresh, key: session.key, profile: session.profile, options: session.options, liveId: session.liveId, messages, asks, wasRunning: session.running, mayHaveMissedAsk: session.running && asks.length === 0,
    delivery: doubted ? { stage: 'doubt', msgId: doubted.clientMsgId, op: -1, step: 'link', absentAtMs: null, ran: taken } : { stage: 'rest' },
    turnBaseline: doubted?.baselineRowId ?? null,
    view: {
      ...fresh.view, storedId: session.storedId, held: session.held, outcomes: loaded.outcomes, asks: asks.map((ask) => ask.view), messages: messages.map(shownMessage),
    },
  }
}

export const shownMessage = (m: StoredMessage): LiveView['messages'][number] => ({
  clientMsgId: m.clientMsgId, text: m.text, state: m.state === 'removed' ? 'failed' : m.state, device: m.deviceName, rowId: m.rowId, reason: m.reason, atMs: m.atMs,
})
