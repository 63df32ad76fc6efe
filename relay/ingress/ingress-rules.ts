/** The allow-list of the ingress (ruling 4), as data: which route, which grant, which query words, which body. Pure; default deny. */
import * as z from 'zod/mini'
import type { Grant } from '#protocol/system/system-frame.ts'

export type Reshape = 'none' | 'status' | 'session' | 'sessions' | 'profiles' | 'models' | 'config'
export type IngressRule = {
  name: string
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE'
  path: RegExp
  grant: Grant
  query: Readonly<Record<string, RegExp>>
  body?: z.ZodMiniType
  reshape: Reshape
}

/** Upstream's own words below `/api/sessions/`: none is an id, and `DELETE /api/sessions/empty` would delete many. */
const RESERVED = ['empty', 'stats', 'import', 'prune', 'bulk-delete', 'search', 'owner-backfill']
const ID = `(?!(?:${RESERVED.join('|')})(?:/|$))[0-9A-Za-z_.:-]{1,128}`
const PROFILE = /^[\w .-]{1,64}$/
const WORD = /^[\w.,:@/-]{1,128}$/
const NUMBER = /^\d{1,6}$/
const FLAG = /^(?:0|1|true|false)$/
const LIST = { limit: /^(?:100|[1-9]?\d)$/, offset: NUMBER, order: /^(?:recent|created)$/, min_messages: NUMBER, archived: /^(?:exclude|only|include)$/, profile: PROFILE, source: WORD, exclude_sources: WORD }

const SessionPatch = z.strictObject({
  title: z.optional(z.string().check(z.maxLength(256))), archived: z.optional(z.boolean()), pinned: z.optional(z.boolean()), hidden: z.optional(z.boolean()), unread: z.optional(z.boolean()),
  profile: z.optional(z.string().check(z.regex(PROFILE))),
})
/** Longest wait for an approval that a page may set, in s. */
export const APPROVAL_TIMEOUT_S_MAX = 86_400
const Approvals = z.strictObject({ mode: z.optional(z.enum(['manual', 'smart', 'off'])), timeout: z.optional(z.int().check(z.minimum(1), z.maximum(APPROVAL_TIMEOUT_S_MAX))) })
const ConfigPut = z.strictObject({ config: z.strictObject({ approvals: Approvals }), profile: z.optional(z.string().check(z.regex(PROFILE))) })

export const INGRESS_RULES: readonly IngressRule[] = [
  { name: 'status', method: 'GET', path: /^\/api\/status$/, grant: 'chat', query: { profile: PROFILE }, reshape: 'status' },
  { name: 'session list', method: 'GET', path: /^\/api\/sessions$/, grant: 'chat', query: LIST, reshape: 'sessions' },
  { name: 'session list of all profiles', method: 'GET', path: /^\/api\/profiles\/sessions$/, grant: 'chat', query: LIST, reshape: 'sessions' },
  { name: 'session search', method: 'GET', path: /^\/api\/sessions\/search$/, grant: 'chat', query: { q: /^[^\x00-\x1f]{0,512}$/, limit: LIST.limit, profile: PROFILE, source: WORD }, reshape: 'sessions' },
  { name: 'session detail', method: 'GET', path: new RegExp(`^/api/sessions/${ID}$`), grant: 'chat', query: { profile: PROFILE }, reshape: 'session' },
  { name: 'session messages', method: 'GET', path: new RegExp(`^/api/sessions/${ID}/messages$`), grant: 'chat', query: { limit: /^(?:500|[1-4]?\d{1,2})$/, offset: NUMBER, order: /^(?:oldest|latest)$/, profile: PROFILE, include_compacted: FLAG }, reshape: 'session' },
  { name: 'session change', method: 'PATCH', path: new RegExp(`^/api/sessions/${ID}$`), grant: 'manage', query: { profile: PROFILE }, body: SessionPatch, reshape: 'session' },
  { name: 'session delete', method: 'DELETE', path: new RegExp(`^/api/sessions/${ID}$`), grant: 'manage', query: { profile: PROFILE }, reshape: 'none' },
  { name: 'profiles', method: 'GET', path: /^\/api\/profiles$/, grant: 'chat', query: {}, reshape: 'profiles' },
  { name: 'model info', method: 'GET', path: /^\/api\/model\/info$/, grant: 'chat', query: { profile: PROFILE }, reshape: 'none' },
  { name: 'model options', method: 'GET', path: /^\/api\/model\/options$/, grant: 'chat', query: { include_unconfigured: FLAG, refresh: FLAG, profile: PROFILE }, reshape: 'models' },
  { name: 'config', method: 'GET', path: /^\/api\/config$/, grant: 'chat', query: { profile: PROFILE }, reshape: 'config' },
  { name: 'config change', method: 'PUT', path: /^\/api\/config$/, grant: 'manage', query: {}, body: ConfigPut, reshape: 'none' },
]

export type IngressMatch = { kind: 'rule'; rule: IngressRule; pathAndQuery: string } | { kind: 'denied' } | { kind: 'query'; word: string }

/** `path` is the raw path below `/dashboard`; ids have no percent signs, so it goes upstream as it is. */
export function matchIngress(method: string, path: string, query: URLSearchParams): IngressMatch {
  const rule = INGRESS_RULES.find((candidate) => candidate.method === method && candidate.path.test(path))
  if (!rule || path.split('/').some((segment) => /^\.+$/.test(segment))) return { kind: 'denied' }
  const pairs: string[] = []
  for (const [word, value] of query) {
    const isAllowed = Object.hasOwn(rule.query, word) && (rule.query[word] as RegExp).test(value) && query.getAll(word).length === 1
    if (!isAllowed) return { kind: 'query', word: word.slice(0, 64) }
    pairs.push(`${word}=${encodeURIComponent(value)}`)
  }
  return { kind: 'rule', rule, pathAndQuery: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path }
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const without = (row: unknown, hidden: RegExp): unknown => (isObject(row) ? Object.fromEntries(Object.entries(row).filter(([key]) => !hidden.test(key))) : row)
const HOST_FACTS = /(?:^|_)(?:path|home|pid)$|^gateway_health_url$|^gateways$/

/** Takes out what must not leave the host. An unexpected shape becomes an empty one, never a pass. */
export function reshape(kind: Reshape, body: unknown): unknown {
  switch (kind) {
    case 'none': return body
    case 'status': return isObject(body) ? without(body, HOST_FACTS) : {}
    case 'session': return without(body, /^system_prompt$/)
    case 'sessions': return reshapeRows(body, /^system_prompt$/)
    case 'profiles': return reshapeRows(body, /(?:^|_)(?:path|home|pid)$/)
    case 'models': return reshapeRows(body, /(?:_url|^api_url|base_url)$/)
    case 'config': return reduceConfig(body)
  }
}

function reshapeRows(body: unknown, hidden: RegExp): unknown {
  if (Array.isArray(body)) return body.map((row) => without(row, hidden))
  if (!isObject(body)) return {}
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? value.map((row) => without(row, hidden)) : value]))
}

/** Only the named keys: everything else of the configuration may hold a key, a path or a host. */
function reduceConfig(body: unknown): Json {
  const tree = isObject(body) && isObject(body.config) ? body.config : body
  if (!isObject(tree)) return {}
  const approvals = isObject(tree.approvals) ? tree.approvals : {}
  return {
    approvals: Object.fromEntries(['mode', 'timeout'].filter((key) => key in approvals).map((key) => [key, approvals[key]])),
    display: isObject(tree.display) ? tree.display : {},
  }
}
