/** The REST routes of the agent, in the shapes of hermes-agent 0.19.0 (dashboard.md 3, 5, 6, 7, 9). Reading moves no event. */
import { Refused, REFUSALS } from '#protocol/refusal/refusal.ts'
import { isRecord } from '../gateway-read.ts'
import type { RestAnswer } from '../in-process-transport.ts'
import type { Json } from '../player-core.ts'
import { createSearch } from '../row-search.ts'
import type { AgentCore } from './agent-core.ts'
import { modelOptions } from './agent-models.ts'
import type { AgentRow, SessionGlance } from './agent-repo.ts'
import { TITLE_LENGTH_MAX } from './agent-rpc.ts'
import { dropLive, liveOf, PROVIDER_SLUG } from './agent-sessions.ts'
import { configBody, putConfig } from './agent-settings.ts'

/** Most rows of one page of messages, and of one page of conversations. */
export const MESSAGES_PAGE_MAX = 500
export const SESSIONS_PAGE_MAX = 500
export const HITS_MAX = 100
/** Longest search, in UTF-16 units. */
export const QUERY_CHARS_MAX = 200
/** A conversation counts as active for this long after its last row, in ms. */
const ACTIVE_MS = 300_000

const answer = (body: unknown, status = 200): RestAnswer => ({ status, body })
const refuse = (status: number, detail: string): RestAnswer => ({ status, body: { detail } })

/** `path` is below the dashboard's base, with its query. Total: a store that fails is an answer. */
export async function answerRest(core: AgentCore, method: string, path: string, body: unknown): Promise<RestAnswer> {
  try {
    return await route(core, method, new URL(path, 'http://agent.invalid'), body)
  } catch (error) {
    if (error instanceof Refused) return refuse(REFUSALS[error.code].http, `${REFUSALS[error.code].say} ${REFUSALS[error.code].next}`)
    if (error instanceof URIError || error instanceof TypeError) return refuse(400, 'That address cannot be read.')
    core.log('a mistake of ours in a request', { name: error instanceof Error ? error.name : typeof error })
    return refuse(500, 'internal error')
  }
}

async function route(core: AgentCore, method: string, { pathname, searchParams: query }: URL, body: unknown): Promise<RestAnswer> {
  switch (`${method} ${pathname}`) {
    case 'GET /api/status': return answer(statusBody(core))
    case 'GET /api/sessions': return listSessions(core, query)
    case 'GET /api/profiles/sessions': return listSessions(core, query, 'default')
    case 'GET /api/sessions/search': return searchSessions(core, query)
    case 'GET /api/profiles': return answer({ profiles: [profileBody(core)] })
    case 'GET /api/profiles/active': return answer({ active: 'default', current: 'default' })
    case 'GET /api/model/info': return answer({
      model: core.parts.model, provider: PROVIDER_SLUG, auto_context_length: core.contextMax, config_context_length: core.contextMax, effective_context_length: core.contextMax, capabilities: {},
    })
    case 'GET /api/model/options': return answer(await modelOptions(core))
    case 'GET /api/config': return answer(configBody(core))
    case 'PUT /api/config': {
      if (!isRecord(body) || !isRecord(body['config'])) return refuse(422, 'config required')
      const refused = putConfig(core, body['config'])
      return refused === null ? answer({ ok: true }) : refuse(400, refused)
    }
  }
  const match = /^\/api\/sessions\/([^/]+)(\/messages)?$/.exec(pathname)
  return match ? sessionRoute(core, method, decodeURIComponent(match[1]!), match[2] !== undefined, query, body) : refuse(404, `No such API endpoint: ${pathname}`)
}

function sessionRoute(core: AgentCore, method: string, storedId: string, messages: boolean, query: URLSearchParams, body: unknown): RestAnswer {
  const session = core.repo.session(storedId)
  if (messages) {
    if (method !== 'GET') return refuse(405, 'Method Not Allowed')
    return session ? answer(messagesBody(core, storedId, query)) : refuse(404, 'Session not found')
  }
  switch (method) {
    case 'GET': return session ? answer(rowBody(core, session)) : refuse(404, 'Session not found')
    case 'PATCH': return session ? patchSession(core, session, body) : refuse(404, 'Session not found')
    case 'DELETE': {
      const live = liveOf(core, storedId)
      if (live) dropLive(core, live)
      return answer(core.repo.remove(storedId) ? { ok: true } : { ok: true, already_absent: true })
    }
    default: return refuse(405, 'Method Not Allowed')
  }
}

function patchSession(core: AgentCore, session: SessionGlance, body: unknown): RestAnswer {
  const { title, archived } = isRecord(body) ? body : {}
  if (typeof title !== 'string' && typeof archived !== 'boolean') return refuse(400, "Nothing to update; provide 'title' and/or 'archived'.")
  if (typeof title === 'string' && title.length > TITLE_LENGTH_MAX) return refuse(400, `A title has at most ${TITLE_LENGTH_MAX} characters.`)
  const live = liveOf(core, session.storedId)
  const changed = { ...(live?.session ?? session), ...(typeof title === 'string' ? { title: title.trim() } : {}), ...(typeof archived === 'boolean' ? { archived } : {}) }
  core.repo.update(changed)
  if (live) Object.assign(live.session, { title: changed.title, archived: changed.archived })
  return answer({ ok: true, title: changed.title, ...(typeof archived === 'boolean' ? { archived } : {}) })
}

function count(query: URLSearchParams, key: string, fallback: number, max: number): number {
  const value = Number(query.get(key) ?? fallback)
  return Number.isInteger(value) && value >= 0 ? Math.min(value, max) : fallback
}

/** Without a limit everything comes; the oldest first always, `order` is ignored (dashboard.md 5.1). */
function messagesBody(core: AgentCore, storedId: string, query: URLSearchParams): Json {
  const offset = count(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
  const limit = query.has('limit') ? count(query, 'limit', MESSAGES_PAGE_MAX, MESSAGES_PAGE_MAX) : null
  const messages = core.repo.rows(storedId, limit, offset).map((row) => messageBody(storedId, row))
  return { session_id: storedId, messages, pagination: { limit, offset, returned: messages.length } }
}

const messageBody = (storedId: string, { atMs, ...row }: AgentRow): Json => ({ ...row, session_id: storedId, timestamp: atMs / 1_000, reasoning_content: row.reasoning, active: 1 })

function listSessions(core: AgentCore, query: URLSearchParams, profile?: string): RestAnswer {
  const order = query.get('order') ?? 'created'
  if (order !== 'created' && order !== 'recent') return refuse(400, 'order must be one of: created, recent')
  const archived = query.get('archived') ?? 'exclude'
  if (archived !== 'exclude' && archived !== 'only' && archived !== 'include') return refuse(400, 'archived must be one of: exclude, only, include')
  const limit = count(query, 'limit', 20, SESSIONS_PAGE_MAX)
  const offset = count(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
  const { sessions, total } = core.repo.list({ archived, order, messagesMin: count(query, 'min_messages', 0, Number.MAX_SAFE_INTEGER), limit, offset })
  return answer({ sessions: sessions.map((session) => ({ ...rowBody(core, session), ...(profile ? { profile } : {}) })), total, limit, offset })
}

function searchSessions(core: AgentCore, query: URLSearchParams): RestAnswer {
  const words = (query.get('q') ?? '').trim().slice(0, QUERY_CHARS_MAX)
  if (words === '') return answer({ results: [] })
  const { snippet } = createSearch(words)
  return answer({ results: core.repo.search(words, count(query, 'limit', 20, HITS_MAX)).map(({ session, row }) => ({
    snippet: snippet(row), role: row.role, source: session.source, model: session.model, session_started: session.startedAtMs / 1_000, session_id: session.storedId, lineage_root: session.storedId,
  })) })
}

function rowBody(core: AgentCore, session: SessionGlance): Json {
  return {
    id: session.storedId, source: session.source, model: session.model, parent_session_id: null, started_at: session.startedAtMs / 1_000, ended_at: null, end_reason: null,
    message_count: session.messageCount, tool_call_count: session.toolCount, input_tokens: session.inputTokens, output_tokens: session.outputTokens, cwd: core.parts.folder.root,
    git_branch: null, git_repo_root: null, title: session.title === '' ? null : session.title, archived: session.archived, last_active: session.activeAtMs / 1_000, preview: session.preview,
    is_active: core.clock.now() - session.activeAtMs < ACTIVE_MS || liveOf(core, session.storedId) !== null,
  }
}

const profileBody = (core: AgentCore): Json => ({
  name: 'default', path: core.parts.folder.root, is_default: true, model: core.parts.model, provider: PROVIDER_SLUG, has_env: false, skill_count: 0, gateway_running: true,
  description: 'The built-in agent', description_auto: false, has_alias: false,
})

const statusBody = (core: AgentCore): Json => {
  const running = [...core.lives.values()].filter((live) => live.run !== null).length
  return {
    version: core.parts.version, can_update_hermes: false, gateway_running: true, gateway_state: 'running', active_agents: running, gateway_busy: running > 0, active_sessions: core.lives.size,
    auth_required: false, auth_providers: [], profiles: ['default'], gateway_mode: 'single',
  }
}
