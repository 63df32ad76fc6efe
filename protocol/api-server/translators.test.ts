/** What the recordings do not hold: newer and older builds (contract api-server.md 4.2, 4.3, 5.2, 6.3). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CUT_OFF, startCompletions, stepCompletions } from './from-completions.ts'
import { startRun, stepRun } from './from-run-events.ts'
import { startSessionStream, stepSessionStream } from './from-session-stream.ts'
import { createFrameReader } from './sse-frames.ts'
import type { StreamFact, StreamFrame } from './stream-fact.ts'

const frame = (event: string, payload: Record<string, unknown> = {}): StreamFrame => ({ event, payload, word: null })
const DONE: StreamFrame = { event: 'done', payload: null, word: '[DONE]' }
const play = <State>(start: State, step: (state: State, frame: StreamFrame) => { state: State; facts: readonly StreamFact[] }, frames: readonly StreamFrame[]): StreamFact[] => {
  let state = start
  return frames.flatMap((one) => { const next = step(state, one); state = next.state; return [...next.facts] })
}
const session = (...frames: StreamFrame[]) => play(startSessionStream, stepSessionStream, frames)
const run = (...frames: StreamFrame[]) => play(startRun, stepRun, frames)
const completions = (...frames: StreamFrame[]) => play(startCompletions, stepCompletions, frames)
const turns = (facts: readonly StreamFact[]) => facts.flatMap((fact) => (fact.kind === 'turn' ? [fact.event] : []))

test('the first end wins: one completion, however often it is said', () => {
  const facts = session(frame('assistant.completed', { content: 'a', completed: true }), frame('run.completed', { messages: [{ role: 'assistant', content: 'a' }], usage: { input_tokens: 3 } }), frame('error', { message: 'late' }), frame('done'))
  expect(turns(facts)).toEqual([{ kind: 'ended', status: 'complete', text: 'a', reasoning: null, error: null, warning: null, usage: { input: 3, output: null, total: null, contextUsed: null, contextMax: null, contextPercent: null } }])
})

test('only done: interrupted without an answer, complete with one', () => {
  expect(turns(session(frame('assistant.delta', { delta: 'half' }), frame('done')))[1]).toMatchObject({ kind: 'ended', status: 'interrupted', text: '' })
  expect(turns(session(frame('assistant.completed', { content: 'whole' }), DONE))[0]).toMatchObject({ kind: 'ended', status: 'complete', text: 'whole' })
  expect(turns(session(frame('assistant.completed', { content: 'part', interrupted: true }), frame('run.completed', { messages: [{}] })))[0]).toMatchObject({ status: 'interrupted', text: 'part' })
})

test('an echo of the answer is no thought; another one is', () => {
  const thinking = (delta: string) => frame('tool.progress', { tool_name: '_thinking', delta })
  expect(session(frame('assistant.delta', { delta: 'the answer ' }), frame('assistant.delta', { delta: 'goes on' }), thinking('the answer goes')).length).toBe(2)
  expect(turns(session(frame('assistant.delta', { delta: 'the answer' }), thinking('let me see')))[1]).toEqual({ kind: 'reasoning', text: 'let me see' })
  const long = 'word '.repeat(400)
  expect(turns(session(frame('assistant.delta', { delta: long }), thinking(long.slice(0, 500))))).toEqual([{ kind: 'text', text: long }]) // Longer than what is kept for comparing.
  expect(turns(session(frame('tool.progress', { tool_name: 'terminal', delta: 'compiling' })))).toEqual([{ kind: 'caption', text: 'compiling' }])
})

test('newer builds: commentary, questions, a moved conversation, a hint that came back', () => {
  const facts = session(
    frame('run.started', { run_id: 'r1' }), frame('assistant.commentary', { text: 'looking', already_streamed: false }),
    frame('approval.request', { command: 'rm -rf x', description: 'deletes', request_id: 'q1', choices: ['once', 'session', 'always', 'deny'], allow_permanent: false }),
    frame('run.cancelled', { session_id: 's2', pending_steer: 'and quickly' }),
  )
  expect(facts.filter(({ kind }) => kind !== 'turn')).toEqual([
    { kind: 'run', runId: 'r1' },
    { kind: 'ask', ask: expect.objectContaining({ kind: 'approval', requestId: 'q1', command: 'rm -rf x', choices: ['once', 'session', 'deny'] }) },
    { kind: 'stored', storedId: 's2' },
    { kind: 'steer_back', text: 'and quickly' },
  ])
  expect(turns(facts)).toEqual([{ kind: 'started' }, { kind: 'sealed', text: 'looking', streamed: false }, expect.objectContaining({ kind: 'ended', status: 'interrupted' })])
})

test.each([[{ allow_session: false }], [{ smart_denied: true }]])('what must not last is offered once or not: %j', (flags) => {
  const [ask] = run(frame('approval.request', { command: 'x', choices: ['once', 'session', 'always', 'deny'], ...flags }))
  expect(ask).toMatchObject({ kind: 'ask', ask: { choices: ['once', 'deny'], requestId: null } })
})

test('older names of text, thoughts, tools and ends', () => {
  for (const name of ['content_delta', 'delta', 'message.delta', 'response.output_text.delta']) expect(turns(session(frame(name, { text: 'x' })))).toEqual([{ kind: 'text', text: 'x' }])
  for (const name of ['thinking_delta', 'reasoning_delta', 'thinking']) expect(turns(session(frame(name, { content: 'x' })))).toEqual([{ kind: 'reasoning', text: 'x' }])
  expect(turns(session(frame('tool_start', { name: 't', call_id: 'c1' }), frame('tool_result', { name: 't', call_id: 'c1', output: 'ok' }), frame('tool_failed', { name: 't', call_id: 'c2' })))).toMatchObject([{ kind: 'tool_started', toolId: 'c1' }, { kind: 'tool_done', toolId: 'c1', result: 'ok', failed: false }, { kind: 'tool_done', toolId: 'c2', failed: true }])
  expect(turns(session(frame('content_complete', { content: 'all' }), DONE))).toMatchObject([{ kind: 'ended', status: 'complete', text: 'all' }])
})

test('runs: the flag of a tool is no text, sub-agents, an answered question, a restart', () => {
  expect(turns(run(frame('tool.completed', { tool: 't', error: true, duration: 0.5 })))).toMatchObject([{ kind: 'tool_done', failed: true, error: null, durationS: 0.5 }])
  expect(turns(run(frame('subagent.start', { task_index: 1, task_count: 3, goal: 'look' }), frame('subagent.complete', { task_index: 1, status: 'failed' })))).toMatchObject([{ kind: 'subagent', index: 1, count: 3, phase: 'running' }, { phase: 'failed' }])
  expect(run(frame('approval.responded', { choice: 'deny', request_id: 'q' }))).toEqual([{ kind: 'ask_closed', requestId: 'q', choice: 'deny' }])
  expect(turns(run(frame('run.interrupted', { error: 'gateway restart' })))).toMatchObject([{ kind: 'ended', status: 'interrupted', error: 'gateway restart' }])
})

test('completions: thoughts, a limit, an error with text before it, an end that was cut off', () => {
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => frame('', { choices: [{ delta, finish_reason }], ...more })
  expect(turns(completions(chunk({ reasoning_content: 'hm' }), chunk({ content: 'a' }), chunk({}, 'length'), DONE))).toMatchObject([{ kind: 'started' }, { kind: 'reasoning', text: 'hm' }, { kind: 'text', text: 'a' }, { kind: 'ended', status: 'complete', warning: CUT_OFF }])
  expect(turns(completions(chunk({ content: 'a' }), chunk({}, 'error', { hermes: { error: 'no money' } })))).toMatchObject([{}, {}, { kind: 'ended', status: 'error', error: 'no money' }])
  expect(turns(completions(frame('', { error: { message: 'bad' } }), DONE))).toMatchObject([{ kind: 'ended', status: 'error', error: 'bad' }])
  expect(turns(completions(chunk({ content: 'a' }), DONE))).toMatchObject([{}, {}, { kind: 'ended', status: 'interrupted' }])
})

test('whatever a frame holds, nothing is thrown', () => {
  const names = fc.constantFrom('assistant.delta', 'tool.progress', 'tool.started', 'run.completed', 'error', 'done', 'approval.request', 'hermes.tool.progress', 'subagent.start', '', 'never heard of')
  fc.assert(fc.property(fc.array(fc.tuple(names, fc.dictionary(fc.constantFrom('delta', 'content', 'messages', 'usage', 'error', 'choices', 'tool_name', 'status', 'args'), fc.jsonValue() as fc.Arbitrary<unknown>)), { maxLength: 8 }), (all) => {
    const frames = all.map(([event, payload]) => frame(event, payload))
    for (const facts of [session(...frames), run(...frames), completions(...frames)]) expect(turns(facts).filter(({ kind }) => kind === 'ended').length).toBeLessThanOrEqual(1)
  }), { seed: 20_261_201, numRuns: 300 })
})

test('broken JSON is counted and passed over; the last id is kept', () => {
  const reader = createFrameReader()
  expect(reader.feed('id: 7\ndata: {"event":"a"}\n\ndata: {broken\n\ndata: 5\n\n: keepalive\n\ndata: {"type":"b"').map(({ event }) => event)).toEqual(['a'])
  expect(reader.finish()).toEqual([])
  expect([reader.broken, reader.lastId]).toEqual([3, '7'])
  const last = createFrameReader()
  expect([...last.feed('data: {"event":"x"}'), ...last.finish()].map(({ event }) => event)).toEqual(['x'])
})
