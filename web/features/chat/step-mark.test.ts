/** A question without an answer is never shown as done, live or from the history. */
import { expect, test } from 'vitest'
import type { AskView } from '#protocol/turn/ask.ts'
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'
import { stepMark } from './step-mark.ts'

const step = (more: Partial<ToolBlock>): ToolBlock => ({ kind: 'tool', toolId: 't', name: 'clarify', state: 'done', identified: true, caption: null, args: '{"question":"Which bed?"}', result: null, error: null, blocked: false, durationS: 1, diff: null, todos: null, ...more })
const ask = (state: AskView['state'], more: Partial<AskView> = {}): AskView => ({ askId: 'a', kind: 'clarify', state, title: 'Which bed?', command: null, description: null, choices: [], freeText: true, envVar: null, raisedAtMs: 1, deadlineAtMs: 2, answeredBy: null, answer: null, ...more })
const command = { name: 'terminal', args: '{"command":"rm -rf ./beds"}' }
const approval = (state: AskView['state']): AskView => ask(state, { kind: 'approval', title: 'Run this command?', command: 'rm -rf ./beds' })

test('what expired, also because the turn was stopped, is not done', () => {
  expect(stepMark(step({ result: '{"user_response":"left"}' }), [ask('expired')], true)).toBe('unanswered')
  expect(stepMark(step({ ...command, state: 'failed', blocked: true, error: 'BLOCKED: Command denied by user.' }), [approval('expired')], true)).toBe('unanswered')
})
test('what was answered keeps its own end', () => {
  expect(stepMark(step({ result: '{"user_response":"left"}' }), [ask('answered', { answer: 'left' })], true)).toBe('done')
  expect(stepMark(step({ ...command, state: 'failed', blocked: true, error: 'BLOCKED: Command denied by user.' }), [approval('answered')], true)).toBe('failed')
  expect(stepMark(step({ ...command, result: 'gone' }), [ask('expired')], true)).toBe('done') // The question of another step.
})
test.each([
  ['an empty answer of Hermes', { result: '{"question":"Which bed?","user_response":""}' }], ['an empty answer of the small agent', { result: '' }],
  ['a question that was stopped', { blocked: true, state: 'failed', error: 'Stopped by the person before it ended.' }],
  ['a command that nobody allowed in time', { ...command, blocked: true, state: 'failed', error: 'BLOCKED: Command timed out without user response. The user has NOT consented to this action.' }],
] as const)('the history says it too: %s', (_, more) => {
  expect(stepMark(step(more), [], true)).toBe('unanswered')
})
test('ordinary steps are as they were; one that never ended does not turn for ever', () => {
  expect([step({ result: '{"user_response":"left"}' }), step({ result: 'plain words' }), step({ ...command, result: '' }), step({ ...command, state: 'failed', error: 'no such file' })].map((one) => stepMark(one, [], true))).toEqual(['done', 'done', 'done', 'failed'])
  expect([stepMark(step({ state: 'running' }), [], false), stepMark(step({ state: 'running' }), [], true)]).toEqual(['running', 'unfinished'])
})
