/**
 * What happens in one turn, in one language for every upstream dialect (law 2). Translators make these events, the relay
 * numbers them, relay and page fold them with the same core. Upstream's wire words end in the translators.
 */
import * as z from 'zod/mini'

const Text = z.string()
const Name = z.string()

export const Usage = z.lazy(() => z.object({
  input: z.nullable(z.number()), output: z.nullable(z.number()), total: z.nullable(z.number()),
  contextUsed: z.nullable(z.number()), contextMax: z.nullable(z.number()), contextPercent: z.nullable(z.number()),
}))
export type Usage = z.infer<typeof Usage>

/** How a turn ended. `lost`: Hermes died or forgot it; its commands may have run (lease.md 7c). */
export const TurnStatus = z.enum(['complete', 'error', 'interrupted', 'lost'])
export type TurnStatus = z.infer<typeof TurnStatus>

export const Todo = z.lazy(() => z.object({ text: z.string(), state: z.string() }))
export type Todo = z.infer<typeof Todo>

export const TurnEvent = z.lazy(() => z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started') }),
  z.object({ kind: z.literal('text'), text: Text }),
  /** One narration segment is whole; `streamed` says that its text already arrived as `text`. */
  z.object({ kind: z.literal('sealed'), text: Text, streamed: z.boolean() }),
  z.object({ kind: z.literal('reasoning'), text: Text }),
  /** A transient caption (spinner words); empty clears it. Never part of the transcript. */
  z.object({ kind: z.literal('caption'), text: Text }),
  z.object({ kind: z.literal('status'), topic: z.string(), text: Text }),
  z.object({ kind: z.literal('tool_preparing'), name: Name }),
  z.object({ kind: z.literal('tool_started'), toolId: z.nullable(z.string()), name: Name, caption: z.nullable(z.string()), args: z.nullable(z.string()) }),
  z.object({
    kind: z.literal('tool_done'), toolId: z.nullable(z.string()), name: Name, failed: z.boolean(), blocked: z.boolean(),
    args: z.nullable(z.string()), result: z.nullable(z.string()), error: z.nullable(z.string()), durationS: z.nullable(z.number()),
    diff: z.nullable(z.string()), todos: z.nullable(z.array(Todo)),
  }),
  z.object({
    kind: z.literal('subagent'), index: z.number(), count: z.number(), phase: z.enum(['running', 'done', 'failed']),
    goal: z.string(), note: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('ended'), status: TurnStatus, text: Text, reasoning: z.nullable(z.string()), error: z.nullable(z.string()),
    warning: z.nullable(z.string()), usage: z.nullable(Usage),
  }),
]))
export type TurnEvent = z.infer<typeof TurnEvent>
export type TurnEnded = Extract<TurnEvent, { kind: 'ended' }>
export type ToolDone = Extract<TurnEvent, { kind: 'tool_done' }>
