/** Sessions of the player: made, found, owned, described. One socket owns a session's events; moving them is silent. */
import { giveLine, orphanLines, storedIdOf } from './live-line.ts'
import { type Json, type Live, ORPHAN_GRACE_MS, type PlayerCore, type PlayerRow, STORED_MAX, type Stored } from './player-core.ts'
import type { Scenario } from './scenario.ts'

export function makeStored(core: PlayerCore, seed: { title?: string; storedId?: string; source?: string; cwd?: string | null; scenario?: Scenario | null }): Stored {
  const nowMs = core.clock.now()
  const stored: Stored = {
    storedId: seed.storedId ?? storedIdOf(nowMs, core.hex(6)), title: seed.title ?? '', source: seed.source ?? 'webui', model: core.model, provider: core.provider,
    cwd: seed.cwd ?? null, startedAtMs: nowMs, lastActiveMs: nowMs, archived: false, persisted: false, rows: [], inputTokens: 0, outputTokens: 0,
    scenario: seed.scenario ?? null, turnsPlayed: 0,
  }
  core.stored.set(stored.storedId, stored)
  if (core.stored.size > STORED_MAX) {
    const oldest = [...core.stored.values()].find((known) => known !== stored && !liveOf(core, known.storedId))
    if (oldest) core.stored.delete(oldest.storedId)
  }
  return stored
}

export function makeLive(core: PlayerCore, stored: Stored, socketId: number | null): Live {
  const liveId = stored.scenario?.live && !core.lives.has(stored.scenario.live) ? stored.scenario.live : core.hex(8)
  const live: Live = {
    liveId, stored, socketId: null, warm: false, run: null, queued: null, steers: [], reap: null, reasoning: '', yolo: false, granted: false,
    sudoCached: false, afterInterrupt: false, runningForced: null, builtAtMs: 0,
  }
  core.lives.set(liveId, live)
  own(core, live, socketId)
  return live
}

export const liveOf = (core: PlayerCore, storedId: string): Live | null => [...core.lives.values()].find((live) => live.stored.storedId === storedId) ?? null

export const own = (core: PlayerCore, live: Live, socketId: number | null): void => giveLine(core, live, socketId)
export const orphan = (core: PlayerCore, socketId: number): void => orphanLines(core, socketId, ORPHAN_GRACE_MS)

export const isRunning = (live: Live): boolean => live.runningForced ?? live.run !== null

/** `waiting` for clarify, sudo and secret; an approval stays `working` (Verified 9). */
export function statusOf(live: Live): 'idle' | 'starting' | 'waiting' | 'working' {
  if (!isRunning(live)) return 'idle'
  if (!live.run || live.run.phase === 'starting') return live.run ? 'starting' : 'working'
  return live.run.ask && live.run.ask.kind !== 'approval' ? 'waiting' : 'working'
}

export function usageOf(live: Live): Json {
  const { inputTokens: input, outputTokens: output, model } = live.stored
  const contextUsed = Math.min(131_072, 1_900 + input + output)
  return {
    model, input, output, reasoning: 0, prompt: input, completion: output, total: input + output, calls: live.stored.turnsPlayed,
    ...(input + output > 0 ? { context_used: contextUsed, context_max: 131_072, context_percent: Math.round((contextUsed / 131_072) * 100) } : {}),
    compressions: 0, active_subagents: 0,
  }
}

export function sessionInfo(core: PlayerCore, live: Live, more: Json = {}): Json {
  const { stored } = live
  return {
    model: stored.model, provider: stored.provider, reasoning_effort: live.reasoning, service_tier: '', fast: false, yolo: live.yolo,
    approval_mode: core.config.approvals.mode, tools: {}, skills: {}, cwd: stored.cwd ?? '/demo', branch: '', project: null, personality: '', running: isRunning(live),
    title: stored.title, stored_session_id: stored.storedId, desktop_contract: 4, version: '0.19.0', release_date: '2026.7.20', update_behind: null, usage: usageOf(live),
    profile_name: stored.scenario?.profile ?? 'default', mcp_servers: [], system_prompt: 'built-in demo', ...more,
  }
}

const lazyInfo = (live: Live): Json => ({
  model: live.stored.model, tools: {}, skills: {}, cwd: live.stored.cwd ?? '/demo', branch: '', project: null, lazy: true, desktop_contract: 4,
  profile_name: live.stored.scenario?.profile ?? 'default',
})

export const createResult = (live: Live): Json => ({
  session_id: live.liveId, stored_session_id: live.stored.storedId, message_count: 0, messages: [], info: lazyInfo(live),
})

/** Rows as snapshots and `session.history` show them: no ids, tool rows as captions (Verified 20). */
export function historyOf(rows: readonly Pick<PlayerRow, 'role' | 'content' | 'tool_name' | 'reasoning'>[]): Json[] {
  return rows.flatMap((row): Json[] => {
    if (row.role === 'tool') return [{ role: 'tool', name: row.tool_name ?? 'tool', context: row.tool_name ?? 'tool' }]
    if (row.content === '') return []
    return [{ role: row.role, text: row.content, ...(row.reasoning ? { reasoning: row.reasoning } : {}) }]
  })
}

/** Result of activate and resume. Pending questions are not in it, and the transcript ends before the running turn. */
export function snapshotOf(core: PlayerCore, live: Live): Json {
  const { run, stored } = live
  const messages = historyOf(run ? stored.rows.slice(0, run.rowsBefore) : stored.rows)
  return {
    info: live.warm ? sessionInfo(core, live) : lazyInfo(live), message_count: messages.length, messages, running: isRunning(live), session_id: live.liveId,
    session_key: stored.storedId, started_at: stored.startedAtMs / 1_000, status: statusOf(live),
    ...(run ? { inflight: { user: run.prompt, assistant: inflightText(run), streaming: true } } : {}), ...(live.queued === null ? {} : { queued: { user: live.queued } }),
  }
}

/** All narration of the turn, joined by a blank line; `message.complete.text` is the last segment only (M5). */
export const inflightText = (run: { segments: readonly string[]; open: string }): string => [...run.segments, run.open].filter((part) => part !== '').join('\n\n')

export function activeList(core: PlayerCore, currentId: unknown): Json[] {
  return [...core.lives.values()].map((live) => ({
    current: live.liveId === currentId, id: live.liveId, last_active: live.stored.lastActiveMs / 1_000, message_count: live.stored.rows.length, model: live.stored.model,
    preview: previewOf(live.stored), session_key: live.stored.storedId, started_at: live.stored.startedAtMs / 1_000, status: statusOf(live), title: live.stored.title,
  }))
}

export const previewOf = (stored: Stored): string => {
  const text = stored.rows.find((row) => row.role === 'user')?.content ?? ''
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}

/** Builds the agent of a session that was only read from disk; a submit in the meantime waits for it. */
export function buildLive(core: PlayerCore, live: Live): void {
  if (live.warm || live.builtAtMs > 0) return
  live.builtAtMs = core.clock.now() + core.timing.buildMs
  core.schedule(() => {
    if (!core.lives.has(live.liveId) || live.run) return // A prompt came meanwhile: its turn says that the agent is ready.
    live.warm = true
    core.emit(live, 'session.info', sessionInfo(core, live))
  }, core.timing.buildMs)
}
