/**
 * What a device sees of one conversation while it is live: turn, questions, queue, owner. The relay sends a snapshot of it
 * and then numbered events; `stepView` folds them on both sides (lease.md 2, I7). Pure.
 */
import * as z from 'zod/mini'
import { AskView } from '../turn/ask.ts'
import { TurnEvent } from '../turn/turn-event.ts'
import { stepTurn, Turn, TurnOutcome } from '../turn/turn-fold.ts'

/**
 * Where a message stands (lease.md 4). `queued` waits in the relay; `sending` and `sent` are on their way; `checking`: the
 * answer of Hermes was lost and the relay looks whether the message arrived; then one of the three ends.
 */
export const MessageState = z.enum(['queued', 'sending', 'sent', 'checking', 'steering', 'steered', 'confirmed', 'failed', 'unconfirmed'])
export type MessageState = z.infer<typeof MessageState>

export const Message = z.lazy(() => z.object({
  clientMsgId: z.string(), text: z.string(), state: MessageState,
  /** Name of the device that wrote it. */
  device: z.string(),
  /** Durable row of the message in Hermes, once confirmed. */
  rowId: z.nullable(z.number()),
  /** A sentence, when it failed or is not confirmed. */
  reason: z.nullable(z.string()),
  atMs: z.number(),
}))
export type Message = z.infer<typeof Message>

/** An ended turn that upstream keeps no row for: shown after the row that it followed (lease.md 3). */
export const Outcome = z.lazy(() => z.object({ turnId: z.string(), afterRowId: z.nullable(z.number()), prompt: z.nullable(z.string()), outcome: TurnOutcome, atMs: z.number() }))
export type Outcome = z.infer<typeof Outcome>

/** Who holds the conversation: nobody, this relay, or another program on the host (lease.md 5, theft). */
export const Owner = z.enum(['nobody', 'ours', 'elsewhere'])
export type Owner = z.infer<typeof Owner>

export const SessionInfo = z.lazy(() => z.object({ model: z.nullable(z.string()), provider: z.nullable(z.string()), cwd: z.nullable(z.string()), approvalMode: z.nullable(z.string()), yolo: z.boolean() }))
export type SessionInfo = z.infer<typeof SessionInfo>

export const Wanted = z.lazy(() => z.object({ model: z.nullable(z.string()), yolo: z.nullable(z.boolean()) }))
export type Wanted = z.infer<typeof Wanted>

export const LiveView = z.lazy(() => z.object({
  /** Stored id, or `draft:<uuid>` until Hermes gave one. */
  session: z.string(),
  storedId: z.nullable(z.string()),
  owner: Owner,
  /** Whether the relay reaches Hermes now. */
  link: z.enum(['up', 'down']),
  turn: z.nullable(Turn),
  asks: z.array(AskView),
  /** Messages that are not yet rows of the history, oldest first. */
  messages: z.array(Message),
  /** True after a stop: queued messages wait until the person releases or removes them. */
  held: z.boolean(),
  outcomes: z.array(Outcome),
  info: z.nullable(SessionInfo),
  /** Highest row id that the relay knows to be in the history; rows above it belong to the turn. */
  historyAnchor: z.nullable(z.number()),
  /** Counts changes of the history: a page that sees it grow reads the REST tail again. */
  historyRevision: z.number(),
  title: z.nullable(z.string()),
  /** What a person chose for the next message and Hermes has not confirmed yet. */
  wanted: z.optional(z.nullable(Wanted)),
}))
export type LiveView = z.infer<typeof LiveView>

export const ViewEvent = z.lazy(() => z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), event: TurnEvent }),
  /** A turn begins, or is replaced by what was re-read after a gap. */
  z.object({ kind: z.literal('turn_set'), turn: z.nullable(Turn) }),
  z.object({ kind: z.literal('stopping') }),
  z.object({ kind: z.literal('ask'), ask: AskView }),
  z.object({ kind: z.literal('ask_gone'), askId: z.string() }),
  z.object({ kind: z.literal('messages'), messages: z.array(Message), held: z.boolean() }),
  z.object({ kind: z.literal('owner'), owner: Owner }),
  z.object({ kind: z.literal('link'), link: z.enum(['up', 'down']) }),
  z.object({ kind: z.literal('bound'), storedId: z.string() }),
  z.object({ kind: z.literal('outcomes'), outcomes: z.array(Outcome) }),
  z.object({ kind: z.literal('info'), info: SessionInfo }),
  z.object({ kind: z.literal('wanted'), wanted: z.nullable(Wanted) }),
  z.object({ kind: z.literal('history'), anchor: z.nullable(z.number()), revision: z.number() }),
  z.object({ kind: z.literal('title'), title: z.string() }),
  /** An event too large for the socket: the page fetches it (lease.md 2). Folded only after it was fetched. */
  z.object({ kind: z.literal('stub'), bytes: z.number(), href: z.string() }),
]))
export type ViewEvent = z.infer<typeof ViewEvent>

/** Numbered event; `n` is how many numbers it covers: merged deltas carry the number of their last. */
export const NumberedEvent = z.lazy(() => z.object({ seq: z.number(), n: z.number(), event: ViewEvent }))
export type NumberedEvent = z.infer<typeof NumberedEvent>

/** Questions kept in one view: closed ones fall out first. */
export const ASKS_MAX = 32

export const emptyView = (session: string): LiveView => ({
  session, storedId: session.startsWith('draft:') ? null : session, owner: 'nobody', link: 'down', turn: null, asks: [], messages: [], held: false, outcomes: [],
  info: null, historyAnchor: null, historyRevision: 0, title: null,
})

/** The view after one event. */
export function stepView(view: LiveView, event: ViewEvent): LiveView {
  switch (event.kind) {
    case 'turn': return view.turn ? { ...view, turn: stepTurn(view.turn, event.event) } : view
    case 'turn_set': return { ...view, turn: event.turn }
    case 'stopping': return view.turn && view.turn.phase !== 'ended' ? { ...view, turn: { ...view.turn, stopping: true } } : view
    case 'ask': return { ...view, asks: upsertAsk(view.asks, event.ask) }
    case 'ask_gone': return { ...view, asks: view.asks.filter((ask) => ask.askId !== event.askId) }
    case 'messages': return { ...view, messages: event.messages, held: event.held }
    case 'owner': return { ...view, owner: event.owner }
    case 'link': return { ...view, link: event.link }
    case 'bound': return { ...view, storedId: event.storedId }
    case 'outcomes': return { ...view, outcomes: event.outcomes }
    case 'info': return { ...view, info: event.info }
    case 'history': return { ...view, historyAnchor: event.anchor, historyRevision: event.revision }
    case 'title': return { ...view, title: event.title }
    case 'wanted': return { ...view, wanted: event.wanted }
    case 'stub': return view
  }
}

const isClosed = (ask: AskView): boolean => ask.state === 'answered' || ask.state === 'expired'

function upsertAsk(asks: readonly AskView[], ask: AskView): AskView[] {
  const at = asks.findIndex((known) => known.askId === ask.askId)
  const next = at >= 0 ? asks.with(at, ask) : [...asks, ask]
  if (next.length <= ASKS_MAX) return next
  const oldest = next.findIndex(isClosed)
  return next.toSpliced(Math.max(oldest, 0), 1)
}

/** True while the agent works: a page then offers stop, and what is sent waits in the queue. */
export const isRunning = (view: LiveView): boolean => view.turn !== null && view.turn.phase !== 'ended'

/** Questions that wait for a person, oldest first. */
export const openAsks = (view: LiveView): AskView[] => view.asks.filter((ask) => ask.state === 'open' || ask.state === 'overdue')
