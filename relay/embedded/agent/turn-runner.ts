/** Begins, stops and follows up turns. One turn per conversation; what is sent meanwhile waits in one slot (Verified 11). */
import { type AgentCore, type Live, QUEUED_CHARS_MAX, type Run, STEERS_MAX } from './agent-core.ts'
import { sessionInfo } from './agent-sessions.ts'
import { playTurn } from './agent-turn.ts'
import { firstWords } from './first-words.ts'

export type Submitted = { status: 'streaming' | 'queued' | 'steered' } | { refused: string }

/** The row of the prompt is in the store before this returns. @throws a refusal of the store */
export function submitPrompt(core: AgentCore, live: Live, text: string, fromRowId: number | null = null): Submitted {
  if (!live.run) {
    startTurn(core, live, text, fromRowId)
    return { status: 'streaming' }
  }
  const mode = core.busyMode
  if (mode === 'steer' && steer(live, text)) return { status: 'steered' }
  const queued = live.queued === null ? text : `${live.queued}\n\n${text}`
  if (queued.length > QUEUED_CHARS_MAX) return { refused: 'too much is waiting in this conversation already' }
  live.queued = queued
  if (mode === 'interrupt') stopTurn(live, true)
  return { status: 'queued' }
}

/** `fromRowId`: a retry, this row and all behind it go first. */
export function startTurn(core: AgentCore, live: Live, prompt: string, fromRowId: number | null = null): void {
  const userRowId = core.repo.beginTurn(live.session, prompt, core.clock.now(), fromRowId)
  live.persisted = true
  live.session.activeAtMs = core.clock.now()
  const run: Run = { prompt, userRowId, segments: [], open: '', reasoning: '', controller: new AbortController(), ask: null, phase: 'playing', isAfterTool: false }
  live.run = run
  core.schedule(() => { // After the reply of the submit.
    playTurn(core, live, run).catch((error: unknown) => core.log('a mistake of ours in a turn', { name: error instanceof Error ? error.name : typeof error })).finally(() => settle(core, live, run))
  }, 0)
}

/** The turn is over: the conversation is idle, gets its title, then what waited begins. */
function settle(core: AgentCore, live: Live, run: Run): void {
  if (live.run !== run || !core.isUp) return
  live.run = null
  live.steers = [] // A hint that met no result of a tool is lost, as with a Hermes (M6).
  try {
    core.repo.endTurn(live.session.storedId)
    nameSession(core, live, run.prompt)
  } catch {
    core.log('the agent could not note the end of a turn', {})
  }
  core.emit(live, 'session.info', sessionInfo(core, live))
  const { queued } = live
  live.queued = null
  if (queued !== null) core.schedule(() => begin(core, live, queued), 0)
  else if (live.socketId === null && live.reap === null) live.reap = core.schedule(() => {
    live.reap = null
    if (live.socketId === null && live.run === null) core.lives.delete(live.liveId)
  }, core.timing.orphanMs)
}

function begin(core: AgentCore, live: Live, prompt: string): void {
  if (live.run || core.lives.get(live.liveId) !== live) return
  try {
    startTurn(core, live, prompt)
  } catch {
    core.emit(live, 'error', { message: 'The message that waited could not be kept. Send it again.' })
  }
}

function nameSession(core: AgentCore, live: Live, prompt: string): void {
  const title = live.session.title === '' ? firstWords(prompt) : ''
  if (title === '') return
  live.session.title = title
  core.repo.update(live.session)
  core.emit(live, 'session.title', { session_id: live.session.storedId, title })
}

/** `keepQueued` when a prompt does it, not a person. */
export function stopTurn(live: Live, keepQueued: boolean): void {
  if (!keepQueued) live.queued = null
  if (live.run?.phase === 'playing') live.run.controller.abort()
}

/** A hint for the running turn; false when it cannot be taken. */
export function steer(live: Live, text: string): boolean {
  if (live.run?.phase !== 'playing' || live.run.controller.signal.aborted || live.steers.length >= STEERS_MAX) return false
  live.steers.push(text)
  return true
}
