/**
 * `/dashboard/api/*` for signed-in pages: a rule of the allow-list, a grant, then one request of our own making. Nothing of the browser's
 * headers goes up, nothing of the dashboard's headers comes down.
 */
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { DeviceGate } from '#relay/auth/device-gate.ts'
import { readJson } from '#relay/http/refusal-answer.ts'
import type { UpstreamAnswer, UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { matchIngress, type Reshape, reshape } from './ingress-rules.ts'

/** Longest answer that is passed on, in bytes. */
export const ANSWER_BYTES_MAX = 32 * 1_024 * 1_024
export const INGRESS_TIMEOUT_MS = 45_000
/** Of an error's own words, so much is shown, in UTF-16 units. */
export const DETAIL_CHARS_MAX = 240

/** Deleting is the lease's business (ruling 19): it may hold the order back for an undo. `null`: not taken, delete now. */
export type OnDelete = (session: { storedId: string; profile: string | null; deviceId: string }) => Promise<unknown | null>
type Env = { Bindings: { address: string; corsOrigin: string | null } }
export type IngressParts = {
  transport: UpstreamTransport; gate: DeviceGate; onDelete?: OnDelete; isHidden?(storedId: string): boolean
  /** Hermes took a change of its configuration; the page gets its answer after this. */
  onConfigChanged?(): Promise<void>
}

export function createIngressRoutes({ transport, gate, onDelete, isHidden, onConfigChanged }: IngressParts): Hono<Env> {
  const routes = new Hono<Env>()
  routes.all('/*', async (context) => {
    const { address } = context.env
    const me = await gate(context.req.raw, address)
    const url = new URL(context.req.url)
    const match = matchIngress(context.req.method === 'HEAD' ? 'GET' : context.req.method, url.pathname.slice('/dashboard'.length), url.searchParams)
    if (match.kind === 'denied') throw new Refused('not_allowed')
    if (match.kind === 'query') throw new Refused('body_malformed', { query: match.word })
    const { rule, pathAndQuery } = match
    await gate(context.req.raw, address, rule.grant)
    const body = rule.body ? await readJson(context.req.raw, rule.body) : undefined
    if (rule.method === 'DELETE' && onDelete) {
      const taken = await onDelete({ storedId: url.pathname.split('/').at(-1) as string, profile: url.searchParams.get('profile'), deviceId: me.deviceId })
      if (taken !== null) return context.json(taken as object)
    }
    const answer = await transport.request({
      method: rule.method, path: pathAndQuery, timeoutMs: INGRESS_TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (rule.name === 'config change' && answer.kind === 'answer' && answer.status < 300) await onConfigChanged?.()
    return passOn(context, answer, (body) => hideRows(reshape(rule.reshape, body), isHidden), rule.reshape)
  })
  return routes
}

function passOn(context: Context<Env>, answer: UpstreamAnswer, shape: (body: unknown) => unknown, kind: Reshape): Response {
  switch (answer.kind) {
    case 'unreachable': throw new Refused('upstream_unreachable')
    case 'sign_in': throw new Refused('upstream_sign_in')
    case 'too_large': throw new Refused('upstream_too_large', { bytes_max: ANSWER_BYTES_MAX })
    case 'answer': break
  }
  const body = parseBody(answer)
  if (answer.status >= 200 && answer.status < 300 && body !== undefined) return context.json(shape(body) as object, 200 as ContentfulStatusCode)
  if (answer.status === 401 || answer.status === 403) throw new Refused('upstream_sign_in')
  const detail = detailOf(body)
  if (answer.status === 404 && kind === 'session' && !/No such API endpoint/.test(detail)) throw new Refused('session_unknown')
  throw new Refused('upstream_refused', { status: answer.status, ...(detail !== '' && { message: detail }) })
}

/** An empty success is `{}` (contract dashboard.md 1.1); what is not JSON is nothing that we pass on. */
function parseBody({ body, contentType }: Extract<UpstreamAnswer, { kind: 'answer' }>): unknown {
  if (body.trim() === '') return {}
  if (!/json/i.test(contentType)) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const detailOf = (body: unknown): string => {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail
  return typeof detail === 'string' ? detail.slice(0, DETAIL_CHARS_MAX) : ''
}

/** Rows of a list, or hits of a search, whose conversation is about to be deleted. */
function hideRows(body: unknown, isHidden: ((storedId: string) => boolean) | undefined): unknown {
  if (!isHidden || typeof body !== 'object' || body === null) return body
  const isShown = (row: unknown) => {
    const { id, session_id: hit } = (row ?? {}) as { id?: unknown; session_id?: unknown }
    return ![id, hit].some((name) => typeof name === 'string' && isHidden(name))
  }
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, (key === 'sessions' || key === 'results') && Array.isArray(value) ? value.filter(isShown) : value]))
}
