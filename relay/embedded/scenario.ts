/**
 * Scripts for the player (contract gateway.md 16.1, with our additions `ask`, `request`, `reply_delay`, `reject`). A scenario is one
 * conversation; its turns are played in order, one per prompt. In payloads `$live` and `$stored` stand for the ids of the session.
 */
import * as z from 'zod/mini'

/** Longest pause of one step, in ms. */
export const SLEEP_MS_MAX = 600_000

const Payload = z.record(z.string(), z.unknown())
const Milliseconds = z.int().check(z.minimum(0), z.maximum(SLEEP_MS_MAX))

export const ScenarioRow = z.object({
  id: z.optional(z.number()), role: z.enum(['user', 'assistant', 'tool']), content: z.prefault(z.string(), ''), timestamp: z.optional(z.number()),
  finish_reason: z.optional(z.nullable(z.string())), reasoning: z.optional(z.nullable(z.string())), tool_calls: z.optional(z.nullable(z.array(z.unknown()))),
  tool_call_id: z.optional(z.nullable(z.string())), tool_name: z.optional(z.nullable(z.string())), display_kind: z.optional(z.nullable(z.string())),
})
export type ScenarioRow = z.infer<typeof ScenarioRow>

export const ScenarioStep = z.discriminatedUnion('op', [
  z.object({ op: z.literal('event'), type: z.string(), payload: z.optional(Payload), scope: z.prefault(z.enum(['exact', 'foreign', 'unscoped']), 'exact') }),
  z.object({ op: z.literal('persist'), messages: z.array(ScenarioRow) }),
  z.object({ op: z.literal('sleep'), milliseconds: Milliseconds }),
  z.object({ op: z.literal('set_running'), value: z.boolean() }),
  z.object({ op: z.literal('close'), code: z.nullable(z.int()) }),
  /** Raises a question and waits for its answer or its silent expiry. `then`: events by the answer, `expired` when nobody came. */
  z.object({ op: z.literal('ask'), kind: z.enum(['approval', 'clarify', 'sudo', 'secret']), payload: z.prefault(Payload, {}), wait: z.prefault(z.boolean(), true) }),
  /** A server request of generation B; `wait` holds the script until it is answered. */
  z.object({ op: z.literal('request'), method: z.string(), request_id: z.optional(z.string()), params: z.prefault(Payload, {}), wait: z.prefault(z.boolean(), true) }),
  /** The reply of the submit comes this late; the script runs on meanwhile. */
  z.object({ op: z.literal('reply_delay'), milliseconds: Milliseconds }),
  /** The submit is refused; nothing is stored and nothing runs. */
  z.object({ op: z.literal('reject'), code: z.int(), message: z.string(), data: z.optional(Payload) }),
])
export type ScenarioStep = z.infer<typeof ScenarioStep>

export const ScenarioTurn = z.object({
  steps: z.array(ScenarioStep),
  /** Begins by itself this long after the turn before it, without a prompt. */
  unsolicited_after: z.optional(Milliseconds),
})
export type ScenarioTurn = z.infer<typeof ScenarioTurn>

export const Scenario = z.object({
  name: z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,120}$/)), note: z.optional(z.string()), live: z.optional(z.string()), stored: z.optional(z.string()), profile: z.optional(z.string()),
  requires: z.prefault(z.array(z.string()), []), history: z.prefault(z.array(ScenarioRow), []), turns: z.array(ScenarioTurn),
  /** The session is live and in the middle of a turn when somebody resumes it; the rest of that turn is `steps`. */
  in_flight: z.optional(z.object({ user: z.string(), assistant: z.string(), queued: z.optional(z.string()), steps: z.array(ScenarioStep) })),
})
export type Scenario = z.infer<typeof Scenario>

/** Reads one scenario; the error names the first thing that is wrong. */
export function parseScenario(raw: unknown): Scenario {
  const parsed = Scenario.safeParse(raw)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`scenario: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'cannot be read'}`)
}
