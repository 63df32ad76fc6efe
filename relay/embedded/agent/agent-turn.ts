/** One turn: the model answers, calls tools, answers again, until it has nothing left to do. Stopping it ends the stream, the command and the question. */
import { Refused, REFUSALS } from '#protocol/refusal/refusal.ts'
import { steerNote } from '../steer-note.ts'
import { type AgentCore, type Live, ROUNDS_MAX, type Run } from './agent-core.ts'
import { unanswered, type WireCall } from './agent-repo.ts'
import { sessionInfo, usageOf } from './agent-sessions.ts'
import { argsOf, captionOf, runTool, TOOL_SCHEMAS, type ToolEnd } from './agent-tools.ts'
import type { Answer, Heard, ToolCall } from './answer-fold.ts'
import { STOPPED } from './model-client.ts'
import { failureText, ModelFailed } from './model-failure.ts'
import { promptWindow } from './prompt-window.ts'
import { systemPrompt } from './system-prompt.ts'

/** Rows that are looked at for a prompt; more never fit. */
const ROWS_READ_MAX = 2_000
const CHARS_PER_TOKEN = 4
const TOOL_TOKENS = Math.ceil(JSON.stringify(TOOL_SCHEMAS).length / CHARS_PER_TOKEN)
/** In place of an answer that has no words. */
export const NO_REPLY = '⚠️ No reply: the model gave no answer. Send the message again, or choose another model.'
const WARNINGS: Readonly<Record<string, string>> = { length: 'The answer was cut: the model reached its limit.', content_filter: "The answer was cut by the filter of the model's server." }

/** Plays the turn to its end, whatever happens; the last event of it is always `message.complete`. */
export async function playTurn(core: AgentCore, live: Live, run: Run): Promise<void> {
  core.emit(live, 'session.info', sessionInfo(core, live))
  core.emit(live, 'message.start')
  try {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const answer = await hearAnswer(core, live, run)
      if (answer.calls.length === 0) return complete(core, live, run, answer)
      await runCalls(core, live, run, answer)
    }
    run.open = `I stopped after ${ROUNDS_MAX} rounds of tools. Say "go on" and I continue.`
    core.emit(live, 'message.delta', { text: `\n\n${run.open}` })
    complete(core, live, run, { text: run.open, reasoning: '', calls: [], finish: 'stop', usage: null })
  } catch (error) {
    if (live.run !== run || !core.isUp) return // The conversation was let go: nobody is told, nothing is kept.
    end(core, live, run, error)
  }
}

async function hearAnswer(core: AgentCore, live: Live, run: Run): Promise<Answer> {
  const { client, folder } = core.parts
  const system = systemPrompt({ workspace: folder.root, system: process.platform, date: new Date(core.clock.now()).toISOString().slice(0, 10) })
  const prompt = promptWindow(system, core.repo.tail(live.session.storedId, ROWS_READ_MAX), core.contextMax, TOOL_TOKENS)
  core.emit(live, 'thinking.delta', { text: `waiting for ${live.session.model}` })
  let isFirst = true
  const answer = await client.answer({ model: live.session.model, messages: prompt.messages, tools: TOOL_SCHEMAS }, {
    signal: run.controller.signal,
    onRetry: () => core.emit(live, 'thinking.delta', { text: 'the model is busy, asking again' }),
    onHeard: (heard) => {
      if (live.run !== run) return
      if (isFirst) core.emit(live, 'thinking.delta', { text: '' })
      isFirst = false
      hear(core, live, run, heard)
    },
  })
  if (run.controller.signal.aborted) throw STOPPED
  const input = answer.usage?.input || prompt.tokens
  const output = answer.usage?.output || Math.ceil((answer.text.length + answer.reasoning.length + answer.calls.reduce((sum, call) => sum + call.args.length, 0)) / CHARS_PER_TOKEN)
  const { session } = live
  Object.assign(session, { inputTokens: session.inputTokens + input, outputTokens: session.outputTokens + output, contextUsed: input + output })
  live.calls += 1
  core.repo.addUsage(session.storedId, input, output, session.contextUsed)
  return answer
}

function hear(core: AgentCore, live: Live, run: Run, heard: Heard): void {
  switch (heard.kind) {
    case 'reasoning':
      run.reasoning += heard.text
      return core.emit(live, 'reasoning.delta', { text: heard.text })
    case 'call_begun': return core.emit(live, 'tool.generating', { name: heard.name })
    case 'text':
      run.open += heard.text
      core.emit(live, 'message.delta', { text: run.isAfterTool ? `\n\n${heard.text}` : heard.text })
      run.isAfterTool = false
  }
}

const wire = ({ id, name, args }: ToolCall): WireCall => ({ id, call_id: id, type: 'function', function: { name, arguments: args } })

/** The narration is sealed and kept together with its calls before the first of them begins. */
async function runCalls(core: AgentCore, live: Live, run: Run, answer: Answer): Promise<void> {
  if (run.open !== '') core.emit(live, 'message.interim', { text: run.open, already_streamed: true })
  const calls = answer.calls.map((call) => ({ ...call, args: argsOf(call) === null ? '{}' : call.args })) // A prompt with broken arguments is refused by servers.
  core.addRow(live, { role: 'assistant', content: run.open, reasoning: run.reasoning || null, tool_calls: calls.map(wire), finish_reason: 'tool_calls' })
  if (run.open !== '') run.segments.push(run.open)
  run.open = ''
  run.reasoning = ''
  for (const call of calls) core.emit(live, 'tool.start', { tool_id: call.id, name: call.name, context: captionOf(call) })
  for (const call of answer.calls) {
    const startedAtMs = core.clock.now()
    const done = await runTool(core, live, run, call)
    if (live.run !== run || !core.isUp) throw STOPPED
    endCall(core, live, call, done, core.clock.now() - startedAtMs)
    if (run.controller.signal.aborted) throw STOPPED
  }
  run.isAfterTool = true
}

function endCall(core: AgentCore, live: Live, call: ToolCall, { result, diff }: ToolEnd, durationMs: number): void {
  const content = JSON.stringify(result) + live.steers.splice(0).map(steerNote).join('')
  core.addRow(live, { role: 'tool', content, tool_call_id: call.id, tool_name: call.name })
  core.emit(live, 'tool.complete', { tool_id: call.id, name: call.name, args: argsOf(call) ?? {}, duration_s: durationMs / 1_000, result, ...(diff === undefined ? {} : { inline_diff: diff }) })
}

function complete(core: AgentCore, live: Live, run: Run, answer: Answer): void {
  run.phase = 'ending'
  const warning = answer.finish === null ? undefined : WARNINGS[answer.finish]
  if (run.open.trim() === '') run.open = NO_REPLY
  core.addRow(live, { role: 'assistant', content: run.open, reasoning: run.reasoning || null, finish_reason: answer.finish ?? 'stop' })
  core.emit(live, 'message.complete', { text: run.open, usage: usageOf(core, live), status: 'complete', ...(run.reasoning ? { reasoning: run.reasoning } : {}), ...(warning ? { warning } : {}) })
}

/** Stopped or failed: calls that wait get a result, words that were said stay. */
function end(core: AgentCore, live: Live, run: Run, error: unknown): void {
  run.phase = 'ending'
  core.emit(live, 'thinking.delta', { text: '' })
  const stopped = error === STOPPED
  const hadCalls = keepWhatWas(core, live, run, stopped ? 'interrupted' : 'error')
  if (stopped) {
    if (hadCalls && run.open === '') tryTo(core, () => core.addRow(live, { role: 'assistant', content: 'Operation interrupted.', finish_reason: 'stop' }))
    core.emit(live, 'message.complete', { text: run.open === '' ? null : run.open, usage: usageOf(core, live), status: 'interrupted' })
    return
  }
  const words = wordsOf(core, error)
  core.emit(live, 'status.update', { kind: 'lifecycle', text: `❌ ${words}` })
  core.emit(live, 'message.complete', { text: words, usage: usageOf(core, live), status: 'error' })
}

/** What the person saw of this turn is kept. True when calls were under way. */
export function keepWhatWas(core: AgentCore, live: Live, run: Run, why: 'interrupted' | 'error'): boolean {
  return tryTo(core, () => {
    const open = unanswered(core.repo.tail(live.session.storedId, 100))
    for (const { id, function: { name, arguments: args } } of open) {
      const result = { output: '', error: why === 'interrupted' ? 'Stopped by the person before it ended.' : 'The turn failed before this ended.', ...(why === 'interrupted' ? { status: 'blocked' } : {}) }
      endCall(core, live, { id, name, args }, { result }, 0)
    }
    if (run.open !== '') core.addRow(live, { role: 'assistant', content: run.open, reasoning: run.reasoning || null, finish_reason: why === 'interrupted' ? 'stop' : 'error' })
    return open.length > 0
  }) ?? false
}

/** A store that fails must not keep a turn from ending. */
function tryTo<Result>(core: AgentCore, work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    core.log('the agent could not keep a row', { code: error instanceof Refused ? error.code : 'unknown' })
    return null
  }
}

function wordsOf(core: AgentCore, error: unknown): string {
  if (error instanceof ModelFailed) return failureText(error.failure)
  if (error instanceof Refused) return `${REFUSALS[error.code].say} ${REFUSALS[error.code].next}`
  core.log('a mistake of ours in a turn', { name: error instanceof Error ? error.name : typeof error })
  return 'The agent made a mistake and had to stop. Send the message again; if it happens again, begin a new conversation.'
}
