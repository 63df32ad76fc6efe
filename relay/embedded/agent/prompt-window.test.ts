import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentRow, WireCall } from './agent-repo.ts'
import type { ModelMessage } from './model-client.ts'
import { promptWindow, tokensOf } from './prompt-window.ts'

let id = 0
const row = (role: AgentRow['role'], content: string, more: Partial<AgentRow> = {}): AgentRow =>
  ({ id: ++id, role, content, reasoning: null, tool_calls: null, tool_call_id: null, tool_name: null, finish_reason: null, atMs: 0, ...more })
const call = (callId: string): WireCall => ({ id: callId, call_id: callId, type: 'function', function: { name: 'terminal', arguments: '{}' } })
const words = (messages: readonly ModelMessage[]) => messages.slice(1).map((message) => message.content)

test('older turns are left out, oldest first, whole', () => {
  const rows = [row('user', 'a'.repeat(400)), row('assistant', 'A'), row('user', 'b'.repeat(400)), row('assistant', 'B'), row('user', 'c')]
  expect(promptWindow('s', rows, 10_000, 0)).toMatchObject({ turnsLeftOut: 0 })
  const tight = promptWindow('s', rows, 180, 0)
  expect(tight.turnsLeftOut).toBe(1)
  expect(words(tight.messages)).toEqual(['b'.repeat(400), 'B', 'c'])
  expect(words(promptWindow('s', rows, 100, 0).messages)).toEqual(['c'])
})

test('descriptions of tools take their room', () => {
  const rows = [row('user', 'a'.repeat(400)), row('user', 'b')]
  expect([promptWindow('s', rows, 200, 0).turnsLeftOut, promptWindow('s', rows, 200, 100).turnsLeftOut]).toEqual([0, 1])
})

test('a call without a result gets one that says so', () => {
  const { messages } = promptWindow('s', [row('user', 'go'), row('assistant', '', { tool_calls: [call('x'), call('y')] }), row('tool', 'done', { tool_call_id: 'x' }), row('user', 'on')], 10_000, 0)
  expect(messages.map((message) => [message.role, message.tool_call_id ?? null])).toEqual([['system', null], ['user', null], ['assistant', null], ['tool', 'x'], ['tool', 'y'], ['user', null]])
  expect(messages[4]?.content).toContain('unknown')
})

test('a turn that is too long alone loses old results, then words, and keeps its question', () => {
  const rows = [row('user', 'question'), ...['x', 'y', 'z'].flatMap((one) => [row('assistant', '', { tool_calls: [call(one)] }), row('tool', one.repeat(2_000), { tool_call_id: one })])]
  const { messages, tokens } = promptWindow('s', rows, 1_000, 0)
  expect(messages[1]?.content).toBe('question')
  expect(messages.filter((message) => message.role === 'tool').map((message) => message.content?.includes('left out'))).toEqual([true, true, false])
  expect(tokens).toBeLessThanOrEqual(750)
  expect(promptWindow('s', [row('user', 'x'.repeat(100_000))], 1_000, 0).tokens).toBeLessThanOrEqual(750)
})

test('whatever is left out, calls and results stay together and the bound holds', () => {
  const turn = fc.tuple(fc.nat(2_000), fc.array(fc.tuple(fc.nat(2), fc.nat(3_000)), { maxLength: 4 }))
  fc.assert(fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), fc.integer({ min: 4_000, max: 20_000 }), (turns, tokensMax) => {
    const rows = turns.flatMap(([chars, rounds], at) => [row('user', 'u'.repeat(chars + 1)), ...rounds.flatMap(([calls, size], round) => {
      const made = Array.from({ length: calls }, (_, n) => call(`${at}-${round}-${n}`))
      return [row('assistant', 'w', { tool_calls: made.length > 0 ? made : null }), ...made.slice(size % 2).map((one) => row('tool', 'r'.repeat(size), { tool_call_id: one.id }))]
    })])
    const { messages, tokens } = promptWindow('system', rows, tokensMax, 10)
    expect(tokens).toBe(messages.reduce((sum, message) => sum + tokensOf(message), 10))
    expect(tokens).toBeLessThanOrEqual(tokensMax)
    const called = messages.flatMap((message) => (message.tool_calls ?? []) as WireCall[]).map((one) => one.id)
    expect(messages.filter((message) => message.role === 'tool').map((message) => message.tool_call_id)).toEqual(called)
    expect(messages.at(-1)).toBeDefined()
  }))
})
