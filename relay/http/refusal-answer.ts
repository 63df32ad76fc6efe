/** Refusals and JSON as HTTP answers, and JSON bodies as parsed input. A route throws `Refused`; this is where it becomes an answer. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { REFUSALS, Refused, refusalBody } from '#protocol/refusal/refusal.ts'
import { BODY_BYTES_MAX, type RequestEnv } from './http-server.ts'

export type RelayContext = Context<{ Bindings: RequestEnv }>

export function answerRefused(context: RelayContext, { code, detail }: Refused): Response {
  const { http } = REFUSALS[code]
  if (http === 401) context.header('www-authenticate', 'Bearer')
  return context.json(refusalBody(code, detail), http as ContentfulStatusCode)
}

type Schema<Value> = { safeParse(raw: unknown): { success: true; data: Value } | { success: false } }

/** The body of an unsafe request: JSON by its content type, within the limit, of the given shape. */
export async function readJson<Value>(request: Request, schema: Schema<Value>): Promise<Value> {
  if (!/^application\/json(?:\s*;|$)/i.test(request.headers.get('content-type') ?? '')) throw new Refused('body_malformed', { expected: 'application/json' })
  const text = await readText(request)
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    throw new Refused('body_malformed')
  }
  const parsed = schema.safeParse(raw)
  if (!parsed.success) throw new Refused('body_malformed')
  return parsed.data
}

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > BODY_BYTES_MAX) throw new Refused('body_too_large', { bytes_max: BODY_BYTES_MAX })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
