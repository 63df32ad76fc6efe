/** Conversations of the agent: made, found, owned, described, in the shapes of hermes-agent 0.19.0. One socket owns a conversation's events. */
import { giveLine, orphanLines, storedIdOf } from '../live-line.ts'
import type { Json } from '../player-core.ts'
import { historyOf, inflightText } from '../player-sessions.ts'
import { type AgentCore, type Live, LIVES_MAX } from './agent-core.ts'
import type { AgentSession } from './agent-repo.ts'

/** Rows of one snapshot; the rest is read over REST. */
export const SNAPSHOT_ROWS_MAX = 2_000

export const PROVIDER_SLUG = 'openai-compatible'

export function makeSession(core: AgentCore, seed: { title: string; source: string }): AgentSession {
  const nowMs = core.clock.now()
  return {
    storedId: storedIdOf(nowMs, core.hex(6)), title: seed.title, source: seed.source, model: core.parts.model, archived: false, startedAtMs: nowMs, activeAtMs: nowMs,
    inputTokens: 0, outputTokens: 0, contextUsed: 0,
  }
}

/** Null when everything that is live also runs: then nothing gives way. */
export function makeLive(core: AgentCore, session: AgentSession, persisted: boolean, socketId: number): Live | null {
  if (core.lives.size >= LIVES_MAX) {
    const idle = [...core.lives.values()].find((live) => live.run === null)
    if (!idle) return null
    dropLive(core, idle)
  }
  const live: Live = { liveId: core.hex(8), session, persisted, socketId, run: null, queued: null, steers: [], reap: null, yolo: false, allowed: new Set(), calls: 0 }
  core.lives.set(live.liveId, live)
  return live
}

/** Forgets a live conversation; a turn of it is stopped and says nothing any more. */
export function dropLive(core: AgentCore, live: Live): void {
  core.cancel(live.reap)
  core.lives.delete(live.liveId)
  const { run } = live
  live.run = null
  run?.controller.abort()
}

export const liveOf = (core: AgentCore, storedId: string): Live | null => [...core.lives.values()].find((live) => live.session.storedId === storedId) ?? null

/** A socket that has gone meanwhile hears nothing. */
export const own = (core: AgentCore, live: Live, socketId: number): void => giveLine(core, live, core.sockets.has(socketId) ? socketId : null)
export const orphan = (core: AgentCore, socketId: number): void => orphanLines(core, socketId, core.timing.orphanMs)

/** `waiting` for a clarify; an approval stays `working`, as with a Hermes (Verified 9). */
export const statusOf = (live: Live): 'idle' | 'waiting' | 'working' => (!live.run ? 'idle' : live.run.ask?.kind === 'clarify' ? 'waiting' : 'working')

export function usageOf(core: AgentCore, live: Live): Json {
  const { inputTokens: input, outputTokens: output, contextUsed, model } = live.session
  return {
    model, input, output, prompt: input, completion: output, total: input + output, calls: live.calls,
    ...(contextUsed > 0 ? { context_used: contextUsed, context_max: core.contextMax, context_percent: Math.min(100, Math.round((contextUsed / core.contextMax) * 100)) } : {}),
  }
}

export function sessionInfo(core: AgentCore, live: Live): Json {
  const { session } = live
  return {
    model: session.model, provider: PROVIDER_SLUG, reasoning_effort: '', service_tier: '', fast: false, yolo: live.yolo, approval_mode: core.approvals.mode, tools: {}, skills: {},
    cwd: core.parts.folder.root, branch: '', project: null, personality: '', running: live.run !== null, title: session.title, stored_session_id: session.storedId, desktop_contract: 4,
    version: core.parts.version, usage: usageOf(core, live), profile_name: 'default', mcp_servers: [],
  }
}

export const createResult = (core: AgentCore, live: Live): Json => ({
  session_id: live.liveId, stored_session_id: live.session.storedId, message_count: 0, messages: [], info: sessionInfo(core, live),
})

export const messagesOf = (core: AgentCore, live: Live): Json[] => {
  const rows = live.persisted ? core.repo.tail(live.session.storedId, SNAPSHOT_ROWS_MAX) : []
  const { run } = live
  return historyOf(run ? rows.filter((row) => row.id < run.userRowId) : rows)
}

/** Result of activate and resume. Pending questions are not in it, and the transcript ends before the running turn. */
export function snapshotOf(core: AgentCore, live: Live): Json {
  const { run, session } = live
  const messages = messagesOf(core, live)
  return {
    info: sessionInfo(core, live), message_count: messages.length, messages, running: run !== null, session_id: live.liveId, session_key: session.storedId,
    started_at: session.startedAtMs / 1_000, status: statusOf(live),
    ...(run ? { inflight: { user: run.prompt, assistant: inflightText(run), streaming: true } } : {}), ...(live.queued === null ? {} : { queued: { user: live.queued } }),
  }
}

export function activeList(core: AgentCore, currentId: unknown): Json[] {
  return [...core.lives.values()].map((live) => {
    const glance = live.persisted ? core.repo.session(live.session.storedId) : null
    return {
      current: live.liveId === currentId, id: live.liveId, last_active: live.session.activeAtMs / 1_000, message_count: glance?.messageCount ?? 0, model: live.session.model,
      preview: glance?.preview ?? '', session_key: live.session.storedId, started_at: live.session.startedAtMs / 1_000, status: statusOf(live), title: live.session.title,
    }
  })
}
