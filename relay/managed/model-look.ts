/** Whether a Hermes has a model: asked of itself, because it reads more than its file (keys of the environment, sign-ins of its own). */
import * as z from 'zod/mini'
import type { SendHttp } from '#relay/ingress/send-http.ts'

/** What its file names is known at once; for what else it could use it may ask servers. In ms. */
const FILE_WITHIN_MS = 3_000
const ACCESS_WITHIN_MS = 15_000
const BYTES_MAX = 4 * 1_024 * 1_024

const Assigned = z.object({ main: z.object({ provider: z.string(), model: z.string() }) })
const Options = z.object({ providers: z.array(z.object({ authenticated: z.optional(z.boolean()), auth_type: z.optional(z.nullable(z.string())) })) })

/** null: it did not say so. */
export async function hasModel(send: SendHttp, token: string): Promise<boolean | null> {
  const ask = async <Value>(path: string, shape: z.ZodMiniType<Value>, timeoutMs: number): Promise<Value | null> => {
    const answer = await send({ method: 'GET', path, headers: { 'x-hermes-session-token': token }, timeoutMs, bytesMax: BYTES_MAX })
    return answer.kind === 'answer' && answer.status === 200 ? (shape.safeParse(parse(answer.body)).data ?? null) : null
  }
  const assigned = await ask('/api/model/auxiliary', Assigned, FILE_WITHIN_MS)
  if (!assigned) return null
  if (assigned.main.provider !== '' || assigned.main.model !== '') return true
  const options = await ask('/api/model/options', Options, ACCESS_WITHIN_MS)
  // A virtual one only combines models of others.
  return options?.providers.some(({ authenticated, auth_type: kind }) => authenticated === true && kind !== 'virtual') ?? null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
