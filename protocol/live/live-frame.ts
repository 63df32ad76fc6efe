/** The `live` channel: what page and relay say about running conversations (lease.md 2). Negotiated by `supports: {live: 1}`. */
import * as z from 'zod/mini'
import { LiveView, MessageState, NumberedEvent, ViewEvent } from './live-view.ts'

/** Longest message, in bytes of UTF-8 (ruling 14). */
export const MESSAGE_BYTES_MAX = 1_024 * 1_024
/** Deltas that wait this long together become one event, in ms. */
export const MERGE_MS = 16
/** A merged delta is sent at once when it holds this much text, in UTF-16 units. */
export const MERGE_CHARS_MAX = 4_096
/** An event larger than this travels as a stub with a fetch link, in bytes. */
export const EVENT_BYTES_MAX = 256 * 1_024
/** Messages that may wait in one conversation. */
export const QUEUE_MAX = 64

const SessionKey = z.string().check(z.regex(/^(?:draft:[0-9a-zA-Z-]{8,64}|[0-9A-Za-z_.:-]{1,128})$/))
const MsgId = z.string().check(z.regex(/^[0-9A-Za-z_-]{8,64}$/))
const AskId = z.string().check(z.maxLength(128))
const MessageText = z.string().check(z.maxLength(MESSAGE_BYTES_MAX))
const Word = z.string().check(z.maxLength(256))
/** Name of a profile, as the ingress takes it too. */
const Profile = z.string().check(z.regex(/^[\w .-]{1,64}$/))

/** What a person chose at *New chat*; applied once, when Hermes makes the session. */
export const NewChatOptions = z.object({
  model: z.optional(Word), provider: z.optional(Word), cwd: z.optional(z.string().check(z.maxLength(4_096))),
  approval_mode: z.optional(z.enum(['manual', 'smart', 'off'])), title: z.optional(Word),
})
export type NewChatOptions = z.infer<typeof NewChatOptions>

/** `choice` for approvals and offered choices, `text` for free text, `value` for a secret or a password. */
export const AnswerBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('choice'), choice: z.string().check(z.maxLength(1_024)) }),
  z.object({ kind: z.literal('text'), text: z.string().check(z.maxLength(64 * 1_024)) }),
  z.object({ kind: z.literal('value'), value: z.string().check(z.maxLength(64 * 1_024)) }),
])
export type AnswerBody = z.infer<typeof AnswerBody>

const frame = <const Type extends string, Payload extends z.core.$ZodType>(type: Type, payload: Payload) => z.object({ type: z.literal(type), payload })

export const LiveClientFrame = z.discriminatedUnion('type', [
  /** `epoch` and `after`: what the page already has; another epoch gets a snapshot, never an error. */
  frame('live.attach', z.object({ session: SessionKey, profile: z.optional(Profile), epoch: z.optional(Word), after: z.optional(z.int().check(z.minimum(0))) })),
  frame('live.detach', z.object({ session: SessionKey })),
  /** Sent now when Hermes is idle, else it waits in the queue. The page keeps the text until `live.accepted`. */
  frame('live.submit', z.object({
    session: SessionKey, profile: z.optional(Profile), client_msg_id: MsgId, text: MessageText, attachments: z.prefault(z.array(z.unknown()).check(z.maxLength(32)), []),
    options: z.optional(NewChatOptions),
  })),
  frame('live.answer', z.object({ session: SessionKey, ask_id: AskId, answer: AnswerBody })),
  frame('live.stop', z.object({ session: SessionKey })),
  frame('live.steer', z.object({ session: SessionKey, client_msg_id: MsgId, text: MessageText })),
  frame('live.queue.edit', z.object({ session: SessionKey, client_msg_id: MsgId, text: MessageText })),
  frame('live.queue.move', z.object({ session: SessionKey, client_msg_id: MsgId, before: z.nullable(MsgId) })),
  frame('live.queue.remove', z.object({ session: SessionKey, client_msg_id: MsgId })),
  /** After a stop: let the queue run on. */
  frame('live.queue.release', z.object({ session: SessionKey })),
  /** A person's verdict on an unconfirmed or failed message (lease.md 4, rule 4). */
  frame('live.resolve', z.object({ session: SessionKey, client_msg_id: MsgId, verdict: z.enum(['send_again', 'arrived', 'discard']) })),
  frame('live.takeover', z.object({ session: SessionKey })),
  /** Runs the last turn again in its place: what it left behind is cut off, its words are sent again under a new id. Only while idle, and only the last turn. */
  frame('live.retry', z.object({ session: SessionKey, turn_id: Word, client_msg_id: MsgId })),
  /** Changes what the conversation runs with, at once when idle; refused with `session_busy` while a turn runs. `yolo`: commands run without asking, in this conversation only. */
  frame('live.configure', z.object({ session: SessionKey, model: z.optional(Word), provider: z.optional(Word), yolo: z.optional(z.boolean()) })),
])
export type LiveClientFrame = z.infer<typeof LiveClientFrame>

export const Activity = z.lazy(() => z.object({ session: z.string(), state: z.enum(['running', 'asking', 'queued', 'elsewhere']), title: z.nullable(z.string()) }))
export type Activity = z.infer<typeof Activity>

export const LiveRelayFrame = z.lazy(() => z.discriminatedUnion('type', [
  frame('live.snapshot', z.object({ session: z.string(), epoch: z.string(), seq: z.number(), now_ms: z.number(), view: LiveView })),
  frame('live.events', z.object({ session: z.string(), epoch: z.string(), now_ms: z.number(), events: z.array(NumberedEvent) })),
  frame('live.event', z.object({ session: z.string(), epoch: z.string(), seq: z.number(), n: z.number(), event: ViewEvent })),
  /** The message is in the journal of the relay: the page may forget it. `duplicate`: it already was. */
  frame('live.accepted', z.object({ session: z.string(), client_msg_id: z.string(), state: MessageState, duplicate: z.boolean() })),
  /** The frame with this envelope id was refused; nothing was changed. */
  frame('live.refused', z.object({
    session: z.nullable(z.string()), client_msg_id: z.nullable(z.string()), ask_id: z.nullable(z.string()), code: z.string(), say: z.string(), next: z.string(),
    detail: z.optional(z.record(z.string(), z.unknown())),
  })),
  /** Which conversations run, ask or wait, for the marks in the list; sent whole on each change. */
  frame('live.activity', z.object({ sessions: z.array(Activity) })),
]))
export type LiveRelayFrame = z.infer<typeof LiveRelayFrame>
