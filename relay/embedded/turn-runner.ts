/** Starts, wakes, interrupts and ends turns. One turn per session; a busy prompt waits in one slot and interrupts (Verified 11). */
import type { Json, Live, Play, PlayerCore, Run, Wake } from './player-core.ts'
import { sessionInfo, usageOf } from './player-sessions.ts'
import { playSteps } from './scenario-play.ts'
import type { ScenarioStep, ScenarioTurn } from './scenario.ts'
import { INTERRUPT, playDemo } from './turn-play.ts'
import { storedPrompt } from './stored-prompt.ts'

/** The scripted turn that the next prompt of this session plays, if any. */
export const nextScripted = (live: Live): ScenarioTurn | null => live.stored.scenario?.turns[live.stored.turnsPlayed] ?? null

const newRun = (prompt: string, live: Live, more: Partial<Run> = {}): Run => ({
  prompt, phase: live.warm ? 'playing' : 'starting', unsolicited: false, segments: [], open: '', play: null, timer: null, ask: null, interruptAsked: false,
  rowsBefore: live.stored.rows.length, scripted: null, userRowWritten: false, ...more,
})

/** Begins the turn of a prompt. Warm: the user row exists at once. Cold: only after the agent is built (M2). */
export function startTurn(core: PlayerCore, live: Live, prompt: string, startDelayMs: number): void {
  const scripted = nextScripted(live)
  live.stored.turnsPlayed += 1
  live.runningForced = null
  const run = newRun(prompt, live, { scripted })
  live.run = run
  if (live.warm) writeUserRow(core, live, run)
  run.play = playTurn(core, live, run)
  if (startDelayMs > 0) run.timer = core.schedule(() => drive(core, live, run, null), startDelayMs)
  else drive(core, live, run, null)
}

/** A turn that nobody asked for: scripted, or the rest of one that runs already. */
export function startUnsolicited(core: PlayerCore, live: Live, scripted: ScenarioTurn, more: Partial<Run> = {}): void {
  const run = newRun(more.prompt ?? '', live, { scripted, unsolicited: true, phase: 'playing', ...more })
  live.run = run
  live.warm = true
  run.play = playSteps(core, live, run, scripted.steps)
  drive(core, live, run, null)
}

function writeUserRow(core: PlayerCore, live: Live, run: Run): void {
  core.addRow(live.stored, 'user', storedPrompt(run.prompt))
  run.userRowWritten = true
}

function* playTurn(core: PlayerCore, live: Live, run: Run): Play {
  if (!live.warm) {
    yield { sleepMs: live.builtAtMs > 0 ? Math.max(0, live.builtAtMs - core.clock.now()) : core.timing.buildMs }
    live.warm = true
    run.phase = 'playing'
    run.rowsBefore = live.stored.rows.length
    writeUserRow(core, live, run)
    core.emit(live, 'session.info', sessionInfo(core, live))
  }
  if (!run.scripted) core.emit(live, 'message.start')
  if (run.interruptAsked) {
    run.phase = 'ending'
    core.emit(live, 'message.complete', { text: null, usage: usageOf(live), status: 'interrupted' })
    live.afterInterrupt = true
    yield { sleepMs: core.timing.idleAfterMs }
    return
  }
  yield* run.scripted ? playSteps(core, live, run, run.scripted.steps) : playDemo(core, live, run)
}

function drive(core: PlayerCore, live: Live, run: Run, wake: Wake | typeof INTERRUPT): void {
  if (live.run !== run || !run.play) return
  core.cancel(run.timer)
  run.timer = null
  const step = wake === INTERRUPT ? run.play.throw(INTERRUPT) : run.play.next(wake)
  if (live.run !== run) return // A step closed the session.
  if (step.done) {
    settle(core, live, run)
    return
  }
  const wait = step.value
  if ('sleepMs' in wait) {
    run.timer = core.schedule(() => drive(core, live, run, null), wait.sleepMs)
    return
  }
  run.ask = wait.ask
  run.ask.timer = core.schedule(() => { // In silence: no event tells that nobody answered in time.
    run.ask = null
    drive(core, live, run, { answer: null })
  }, wait.waitMs)
}

/** The end of a turn, a few ms after its last event: the session is idle, then what waited begins. */
function settle(core: PlayerCore, live: Live, run: Run): void {
  live.run = null
  live.steers = [] // A steer that met no tool result is lost (M6).
  const silent = run.scripted !== null
  if (!silent) core.emit(live, 'session.info', sessionInfo(core, live))
  if (!silent && live.stored.title === '' && live.stored.rows.some((row) => row.role === 'assistant')) core.schedule(() => nameSession(core, live), core.timing.titleAfterMs)
  const queued = live.queued
  if (queued !== null) {
    live.queued = null
    core.schedule(() => { if (!live.run && core.lives.has(live.liveId)) startTurn(core, live, queued, 0) }, 0)
    return
  }
  const next = nextScripted(live)
  if (next?.unsolicited_after === undefined) return
  core.schedule(() => {
    if (live.run || !core.lives.has(live.liveId)) return
    live.stored.turnsPlayed += 1
    startUnsolicited(core, live, next)
  }, next.unsolicited_after)
}

function nameSession(core: PlayerCore, live: Live): void {
  if (live.stored.title !== '' || !core.stored.has(live.stored.storedId)) return
  const first = live.stored.rows.find((row) => row.role === 'user')?.content ?? ''
  live.stored.title = `Demo: ${first.replace(/[^\p{L}\p{N} ]+/gu, ' ').trim().split(/\s+/).slice(0, 4).join(' ')}`
  core.emit(live, 'session.title', { session_id: live.stored.storedId, title: live.stored.title })
}

/** Stops the running turn; `keepQueued` when a busy prompt does it, not a person. */
export function interruptTurnOf(core: PlayerCore, live: Live, keepQueued: boolean): void {
  if (!keepQueued) live.queued = null
  const { run } = live
  if (!run || run.phase === 'ending') return
  if (run.phase === 'starting') {
    run.interruptAsked = true
    return
  }
  if (run.ask) core.cancel(run.ask.timer)
  run.ask = null
  drive(core, live, run, INTERRUPT)
}

/** Answers the question that the turn waits for. False when it waits for none of that kind. */
export function answerAsk(core: PlayerCore, live: Live, answer: string): boolean {
  const run = live.run
  const ask = run?.ask
  if (!run || !ask) return false
  run.ask = null
  if (ask.timer === null) return true // The script did not wait for it.
  core.cancel(ask.timer)
  core.schedule(() => drive(core, live, run, { answer }), 1)
  return true
}

/** What a submit does, and what it answers. */
export function submitPrompt(core: PlayerCore, live: Live, text: string): { status: 'streaming' | 'queued'; replyDelayMs: number } {
  if (live.run) {
    live.queued = live.queued === null ? text : `${live.queued}\n\n${text}`
    if (core.config.display.busy_input_mode === 'interrupt') interruptTurnOf(core, live, true)
    return { status: 'queued', replyDelayMs: 0 }
  }
  const scripted = nextScripted(live)
  const replyDelayMs = scripted?.steps.find((step): step is Extract<ScenarioStep, { op: 'reply_delay' }> => step.op === 'reply_delay')?.milliseconds ?? 0
  const startFirst = core.timing.startBeforeReply && live.warm && !scripted
  startTurn(core, live, text, startFirst ? 0 : 2)
  return { status: 'streaming', replyDelayMs }
}

export function rejectionOf(live: Live): { code: number; message: string; data?: Json } | null {
  if (live.run) return null
  const reject = nextScripted(live)?.steps.find((step): step is Extract<ScenarioStep, { op: 'reject' }> => step.op === 'reject')
  if (!reject) return null
  live.stored.turnsPlayed += 1
  return { code: reject.code, message: reject.message, ...(reject.data ? { data: reject.data } : {}) }
}
