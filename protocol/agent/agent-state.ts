/** What stands behind the relay, and what a page may ask it to put there: `GET` and `POST /relay/agent`. */
import * as z from 'zod/mini'

/** Longest address, name of a model, and key, in UTF-16 units. */
export const URL_CHARS_MAX = 2_048
export const MODEL_CHARS_MAX = 256
export const KEY_CHARS_MAX = 1_024

export const Choice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demo') }),
  z.object({ kind: z.literal('managed') }),
  z.object({ kind: z.literal('dashboard'), url: z.string() }),
  z.object({ kind: z.literal('provider'), base_url: z.string(), model: z.string() }),
])
const Progress = z.object({ phase: z.enum(['python', 'venv', 'download', 'install', 'start', 'ready', 'failed']), done: z.number(), total: z.number(), line: z.string() })
const Why = z.object({ say: z.string(), next: z.string() })

export const AgentState = z.object({
  choice: Choice,
  /** Who decided: a setting of the relay, a person in the app, or what was found on the host. */
  decided_by: z.enum(['setting', 'app', 'found']),
  can_change: z.boolean(),
  /** Another one is being put there now. */
  switching: z.boolean(),
  /** Why the last wish of a person did not come true. */
  failed: z.nullable(Why),
  /** `no_model`: it runs and answers nothing until somebody gives it one. An older relay does not say so. */
  managed: z.object({ installed: z.boolean(), running: z.boolean(), wanted: z.boolean(), progress: z.nullable(Progress), no_model: z.optional(z.nullable(Why)) }),
  python: z.object({ ok: z.boolean(), say: z.string() }),
  ollama: z.nullable(z.object({ base_url: z.string(), models: z.array(z.string()) })),
  has_key: z.boolean(),
})
export type AgentState = z.infer<typeof AgentState>

const Url = z.string().check(z.minLength(1), z.maxLength(URL_CHARS_MAX))
const Key = z.optional(z.nullable(z.string().check(z.maxLength(KEY_CHARS_MAX), z.regex(/^[\x21-\x7e]*$/))))

export const AgentWish = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demo') }),
  z.object({ kind: z.literal('auto') }),
  z.object({ kind: z.literal('managed') }),
  z.object({ kind: z.literal('provider'), base_url: Url, model: z.string().check(z.trim(), z.minLength(1), z.maxLength(MODEL_CHARS_MAX)), key: Key }),
])
export type AgentWish = z.infer<typeof AgentWish>

export const ModelsQuestion = z.object({ base_url: Url, key: Key })
export const ModelsAnswer = z.object({ models: z.array(z.string()) })
