/** The REST routes of the player, in the shapes of hermes-agent 0.19.0 (dashboard.md 3, 5, 6, 7, 9). Reading moves no event. */
import type { Json, PlayerCore, PlayerRow, Stored } from './player-core.ts'
import { liveOf, previewOf } from './player-sessions.ts'
import { modelOptions } from './player-rpc.ts'
import { createSearch } from './row-search.ts'

/** Most rows of one page that asks for a limit. */
export const MESSAGES_PAGE_MAX = 500

export type RestAnswer = { status: number; body: unknown }

const answer = (body: unknown, status = 200): RestAnswer => ({ status, body })
const refuse = (status: number, detail: string): RestAnswer => ({ status, body: { detail } })
const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Answers one request. `path` is below the dashboard's base, with its query. */
export function answerRest(core: PlayerCore, method: string, path: string, body?: unknown): RestAnswer {
  const url = new URL(path, 'http://player.invalid')
  const route = `${method} ${url.pathname}`
  switch (route) {
    case 'GET /api/status': return answer(statusBody(core))
    case 'GET /api/sessions': return listSessions(core, url.searchParams)
    case 'GET /api/profiles/sessions': return listSessions(core, url.searchParams, 'default')
    case 'GET /api/sessions/search': return searchSessions(core, url.searchParams)
    case 'GET /api/profiles': return answer({ profiles: [profileBody(core)] })
    case 'GET /api/profiles/active': return answer({ active: 'default', current: 'default' })
    case 'GET /api/model/info':
      return answer({ model: core.model, provider: core.provider, auto_context_length: 131_072, config_context_length: 131_072, effective_context_length: 131_072, capabilities: {} })
    case 'GET /api/model/options': return answer(modelOptions(core))
    case 'GET /api/config': return answer({ model: core.model, ...core.config })
    case 'PUT /api/config': return putConfig(core, body)
  }
  const match = /^\/api\/sessions\/([^/]+)(\/messages)?$/.exec(url.pathname)
  if (match) return sessionRoute(core, method, decodeURIComponent(match[1]!), match[2] !== undefined, url.searchParams, body)
  return refuse(404, `No such API endpoint: ${url.pathname}`)
}

function sessionRoute(core: PlayerCore, method: string, storedId: string, messages: boolean, query: URLSearchParams, body: unknown): RestAnswer {
  const found = core.stored.get(storedId)
  const stored = found?.persisted ? found : null
  if (messages) {
    if (method !== 'GET') return refuse(405, 'Method Not Allowed')
    return stored ? answer(messagesBody(stored, query)) : refuse(404, 'Session not found')
  }
  switch (method) {
    case 'GET': return stored ? answer({ ...rowBody(core, stored), system_prompt: 'built-in demo' }) : refuse(404, 'Session not found')
    case 'PATCH': return stored ? patchSession(stored, body) : refuse(404, 'Session not found')
    case 'DELETE': return answer(stored && core.stored.delete(storedId) ? { ok: true } : { ok: true, already_absent: true })
    default: return refuse(405, 'Method Not Allowed')
  }
}

function patchSession(stored: Stored, body: unknown): RestAnswer {
  const { title, archived } = isRecord(body) ? body : {}
  if (title === undefined && archived === undefined) return refuse(400, "Nothing to update; provide 'title' and/or 'archived'.")
  if (typeof title === 'string') stored.title = title
  if (typeof archived === 'boolean') stored.archived = archived
  return answer({ ok: true, title: stored.title, ...(typeof archived === 'boolean' ? { archived } : {}) })
}

const count = (query: URLSearchParams, key: string, fallback: number): number => {
  const value = Number(query.get(key) ?? fallback)
  return Number.isInteger(value) && value >= 0 ? value : fallback
}

/** Without a limit everything comes; the oldest first always, `order` is ignored (dashboard.md 5.1). */
function messagesBody(stored: Stored, query: URLSearchParams): Json {
  const offset = count(query, 'offset', 0)
  const limit = query.has('limit') ? Math.min(count(query, 'limit', MESSAGES_PAGE_MAX), MESSAGES_PAGE_MAX) : null
  const messages = stored.rows.slice(offset, limit === null ? undefined : offset + limit).map(messageBody)
  return { session_id: stored.storedId, messages, pagination: { limit, offset, returned: messages.length } }
}

const messageBody = (row: PlayerRow): Json => {
  const { display_kind, ...rest } = row
  return { ...rest, effect_disposition: null, token_count: null, reasoning_details: null, observed: 0, compacted: 0, api_content: null, ...(display_kind ? { display_kind } : {}) }
}

function listSessions(core: PlayerCore, query: URLSearchParams, profile?: string): RestAnswer {
  const order = query.get('order') ?? 'created'
  if (order !== 'created' && order !== 'recent') return refuse(400, 'order must be one of: created, recent')
  const archived = query.get('archived') ?? 'exclude'
  if (!['exclude', 'only', 'include'].includes(archived)) return refuse(400, 'archived must be one of: exclude, only, include')
  const messagesMin = count(query, 'min_messages', 0)
  const fits = (s: Stored) => s.persisted && s.rows.length >= messagesMin && (archived === 'include' || s.archived === (archived === 'only'))
  const key = (s: Stored) => (order === 'recent' ? s.lastActiveMs : s.startedAtMs)
  const all = [...core.stored.values()].filter(fits).sort((a, b) => key(b) - key(a))
  const limit = count(query, 'limit', 20)
  const offset = count(query, 'offset', 0)
  const sessions = all.slice(offset, offset + limit).map((stored) => ({ ...rowBody(core, stored), ...(profile ? { profile } : {}) }))
  return answer({ sessions, total: all.length, limit, offset })
}

function searchSessions(core: PlayerCore, query: URLSearchParams): RestAnswer {
  const words = (query.get('q') ?? '').trim()
  if (words === '') return answer({ results: [] })
  const { fits, snippet } = createSearch(words)
  const results = [...core.stored.values()].filter((stored) => stored.persisted).flatMap((stored) => {
    const row = stored.rows.findLast(fits)
    if (!row) return []
    return [{ snippet: snippet(row), role: row.role, source: stored.source, model: stored.model, session_started: stored.startedAtMs / 1_000, session_id: stored.storedId, lineage_root: stored.storedId }]
  })
  return answer({ results: results.slice(0, count(query, 'limit', 20)) })
}

function rowBody(core: PlayerCore, stored: Stored): Json {
  return {
    id: stored.storedId, source: stored.source, user_id: null, model: stored.model, parent_session_id: null, started_at: stored.startedAtMs / 1_000, ended_at: null, end_reason: null,
    message_count: stored.rows.length, tool_call_count: stored.rows.filter((row) => row.role === 'tool').length, input_tokens: stored.inputTokens, output_tokens: stored.outputTokens,
    cwd: stored.cwd, git_branch: null, git_repo_root: null, billing_provider: 'demo', estimated_cost_usd: 0, actual_cost_usd: null, title: stored.title === '' ? null : stored.title,
    profile_name: null, archived: stored.archived, last_active: stored.lastActiveMs / 1_000, preview: previewOf(stored),
    is_active: core.clock.now() - stored.lastActiveMs < 300_000 || liveOf(core, stored.storedId) !== null,
  }
}

const profileBody = (core: PlayerCore): Json => ({
  name: 'default', path: '/demo', is_default: true, model: core.model, provider: core.provider, has_env: false, skill_count: 0, gateway_running: true, description: 'The built-in demo',
  description_auto: false, distribution_name: null, distribution_version: null, distribution_source: null, has_alias: false,
})

const statusBody = (core: PlayerCore): Json => ({
  version: '0.19.0', release_date: '2026.7.20', config_version: 33, latest_config_version: 33, can_update_hermes: false, gateway_running: true, gateway_state: 'running',
  gateway_platforms: {}, gateway_exit_reason: null, gateway_updated_at: new Date(core.clock.now()).toISOString(), active_agents: [...core.lives.values()].filter((live) => live.run).length,
  gateway_busy: false, gateway_drainable: true, restart_drain_timeout: 0, active_sessions: core.lives.size, auth_required: false, auth_providers: [], nous_session_valid: 'unknown',
  profiles: ['default'], gateway_mode: 'single', gateway_health_url: null, gateways: [{ profile: 'default', ports: {} }],
})

/** Takes effect at once (M10). */
function putConfig(core: PlayerCore, body: unknown): RestAnswer {
  if (!isRecord(body) || !isRecord(body['config'])) return refuse(422, 'config required')
  const { approvals, display } = body['config'] as { approvals?: unknown; display?: unknown }
  if (isRecord(approvals)) {
    if (typeof approvals['timeout'] === 'number') core.config.approvals.timeout = approvals['timeout']
    if (typeof approvals['mode'] === 'string') core.config.approvals.mode = approvals['mode']
  }
  if (isRecord(display) && typeof display['busy_input_mode'] === 'string') core.config.display.busy_input_mode = display['busy_input_mode']
  return answer({ ok: true })
}
