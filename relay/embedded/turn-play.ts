/** How a turn goes: events at the host's clock, rows as they come to be, an interrupt thrown in from outside. Generators wait; the runner wakes them. */
import { type DemoCall, type DemoPlan, planDemo } from './demo-script.ts'
import { askWaitMs, BLOCKED_DENIED, BLOCKED_TIMEOUT, makeAsk } from './player-asks.ts'
import { type Json, type Live, type Play, type PlayerCore, type Run, TIMER_MS_MAX, type Wake } from './player-core.ts'
import { usageOf } from './player-sessions.ts'
import { steerNote } from './steer-note.ts'

/** Thrown into a waiting turn. */
export const INTERRUPT = Symbol('interrupt')
/** Model rounds of one turn. */
export const ROUNDS_MAX = 64
/** The upstream needs a moment to let go, in ms. */
const INTERRUPT_SETTLE_MS = 20

const FACES = ['(¬_¬) pondering...', '(´･_･`) computing...', '( ˘⌣˘) musing...', '(°ロ°) ruminating...']

type Progress = { toolBefore: boolean; toolOpen: boolean }

export function* playDemo(core: PlayerCore, live: Live, run: Run): Play {
  const results: string[] = []
  const progress: Progress = { toolBefore: live.afterInterrupt, toolOpen: false }
  live.afterInterrupt = false
  try {
    for (let atRound = 0; atRound < ROUNDS_MAX; atRound += 1) {
      const plan = planDemo(run.prompt, atRound, results)
      core.emit(live, 'thinking.delta', { text: FACES[atRound % FACES.length]! })
      if (plan.kind === 'hang') yield { sleepMs: TIMER_MS_MAX }
      if (plan.kind === 'error') {
        yield { sleepMs: 200 * core.timing.pace }
        return yield* failTurn(core, live, run, plan.code)
      }
      if (plan.kind !== 'round') return
      yield { sleepMs: plan.waitMs * core.timing.pace }
      core.emit(live, 'thinking.delta', { text: '' })
      const reasoning = yield* streamThought(core, live, plan.think)
      yield* streamText(core, live, run, plan, progress)
      if (plan.calls.length === 0) return yield* completeTurn(core, live, run, reasoning)
      yield* runTools(core, live, run, plan, reasoning, results, progress)
    }
  } catch (thrown) {
    if (thrown !== INTERRUPT) throw thrown
    yield* interruptTurn(core, live, run, progress)
  }
}

function* streamThought(core: PlayerCore, live: Live, think: string): Generator<{ sleepMs: number }, string, Wake> {
  for (const word of think.match(/\s*\S+\s*/g) ?? []) {
    core.emit(live, 'reasoning.delta', { text: word })
    yield { sleepMs: core.timing.batchMs }
  }
  return think
}

/** Deltas that fall into the same 33 ms go out as one. */
function* streamText(core: PlayerCore, live: Live, run: Run, plan: Extract<DemoPlan, { kind: 'round' }>, progress: Progress): Generator<{ sleepMs: number }, void, Wake> {
  const perDelta = Math.max(1, Math.ceil(core.timing.batchMs / Math.max(plan.chunkMs, 1)))
  for (let at = 0; at < plan.chunks.length; at += perDelta) {
    const batch = plan.chunks.slice(at, at + perDelta).join('')
    run.open += batch
    core.emit(live, 'message.delta', { text: at === 0 && progress.toolBefore ? `\n\n${batch}` : batch })
    yield { sleepMs: plan.chunkMs * Math.min(perDelta, plan.chunks.length - at) }
  }
  progress.toolBefore = false
  if (run.open !== '') core.emit(live, 'reasoning.available', { text: run.open.slice(0, 500) })
}

function* runTools(core: PlayerCore, live: Live, run: Run, plan: Extract<DemoPlan, { kind: 'round' }>, reasoning: string, results: string[], progress: Progress): Play {
  const calls = plan.calls.map((call) => ({ call, toolId: `call_demo_${core.hex(6)}` }))
  for (const { call } of calls) core.emit(live, 'tool.generating', { name: call.name })
  if (run.open !== '') core.emit(live, 'message.interim', { text: run.open, already_streamed: true })
  core.addRow(live.stored, 'assistant', run.open, {
    finish_reason: 'tool_calls', reasoning: reasoning || null, reasoning_content: reasoning || null,
    tool_calls: calls.map(({ call, toolId }) => ({ id: toolId, call_id: toolId, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } })),
  })
  if (run.open !== '') run.segments.push(run.open)
  run.open = ''
  yield { sleepMs: 10 }
  for (const { call, toolId } of calls) core.emit(live, 'tool.start', { tool_id: toolId, name: call.name, context: call.caption })
  for (const { call, toolId } of calls) {
    const startedAtMs = core.clock.now()
    progress.toolOpen = true
    try {
      const result = yield* runTool(core, live, call)
      endTool(core, live, call, toolId, startedAtMs, result, results)
    } catch (thrown) {
      if (thrown === INTERRUPT) endTool(core, live, call, toolId, startedAtMs, interruptedResult(call), results)
      throw thrown
    }
    progress.toolOpen = false
  }
  progress.toolBefore = true
}

const interruptedResult = (call: DemoCall): Json => {
  if (call.ask?.kind === 'approval') return { output: '', exit_code: -1, error: BLOCKED_DENIED, status: 'blocked' }
  return call.ask ? call.result('') : { output: '[Command interrupted]', exit_code: 130, error: null }
}

function* runTool(core: PlayerCore, live: Live, call: DemoCall): Generator<{ sleepMs: number } | { ask: ReturnType<typeof makeAsk>; waitMs: number }, Json, Wake> {
  const free = call.ask?.kind === 'approval' ? live.yolo || live.granted || core.config.approvals.mode === 'off' : call.ask?.kind === 'sudo' && live.sudoCached
  if (!call.ask || free) {
    yield { sleepMs: call.durationMs * core.timing.pace }
    return call.result(free ? 'cached' : null)
  }
  const ask = makeAsk(core, call.ask.kind, call.ask.payload)
  core.emit(live, `${ask.kind}.request`, ask.payload)
  const answer = (yield { ask, waitMs: askWaitMs(core, ask.kind) })?.answer ?? null
  if (ask.kind !== 'approval') {
    if (ask.kind === 'sudo' && answer) live.sudoCached = true
    return call.result(answer)
  }
  if (answer === null) return { output: '', exit_code: -1, error: BLOCKED_TIMEOUT, status: 'blocked' }
  if (answer === 'deny') return { output: '', exit_code: -1, error: BLOCKED_DENIED, status: 'blocked' }
  if (answer === 'session' || answer === 'always') live.granted = true
  yield { sleepMs: call.durationMs * core.timing.pace }
  return { ...call.result(answer), approval: 'Command required approval (recursive delete) and was approved by the user.' }
}

function endTool(core: PlayerCore, live: Live, call: DemoCall, toolId: string, startedAtMs: number, result: Json, results: string[]): void {
  const steer = live.steers.splice(0).map(steerNote)
  const content = JSON.stringify(result) + steer.join('')
  results.push(content)
  core.addRow(live.stored, 'tool', content, { tool_call_id: toolId, tool_name: call.name })
  core.emit(live, 'tool.complete', { tool_id: toolId, name: call.name, args: call.args, duration_s: (core.clock.now() - startedAtMs) / 1_000, result, ...call.more })
}

function* completeTurn(core: PlayerCore, live: Live, run: Run, reasoning: string): Play {
  run.phase = 'ending'
  live.stored.inputTokens += Math.ceil(run.prompt.length / 4) + 1
  live.stored.outputTokens += Math.ceil(run.open.length / 4) + 1
  core.addRow(live.stored, 'assistant', run.open, { finish_reason: 'stop', reasoning: reasoning || null, reasoning_content: reasoning || null })
  core.emit(live, 'message.complete', { text: run.open, usage: usageOf(live), status: 'complete', ...(reasoning ? { reasoning } : {}) })
  yield { sleepMs: core.timing.idleAfterMs }
}

/** Upstream keeps the user row of a failed turn and no row for the error (M1). */
function* failTurn(core: PlayerCore, live: Live, run: Run, code: number): Play {
  run.phase = 'ending'
  const retried = code === 429 || code >= 500
  core.emit(live, 'status.update', { kind: 'lifecycle', text: retried ? `❌ API failed after 1 retries — HTTP ${code}: demo error ${code}` : `❌ Non-retryable error (HTTP ${code}): HTTP ${code}: demo error ${code}` })
  core.emit(live, 'message.complete', { text: retried ? `API call failed after 1 retries: HTTP ${code}: demo error ${code}` : `HTTP ${code}: demo error ${code}`, usage: usageOf(live), status: 'error' })
  yield { sleepMs: core.timing.idleAfterMs }
}

/** What was written stays as a row; the text of the event is the open segment, or null when there is none. */
export function* interruptTurn(core: PlayerCore, live: Live, run: Run, progress: { toolOpen: boolean }): Play {
  run.phase = 'ending'
  yield { sleepMs: INTERRUPT_SETTLE_MS }
  if (run.open !== '') core.addRow(live.stored, 'assistant', run.open, { finish_reason: 'stop' })
  else if (progress.toolOpen) core.addRow(live.stored, 'assistant', 'Operation interrupted.', { finish_reason: 'stop' })
  live.afterInterrupt = true
  core.emit(live, 'message.complete', { text: run.open === '' ? null : run.open, usage: usageOf(live), status: 'interrupted' })
  yield { sleepMs: core.timing.idleAfterMs }
}
