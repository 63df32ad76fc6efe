/** What of a conversation the model is told: bounds, pairs of calls and results, questions in one, long arguments cut. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentRow, WireCall } from './agent-repo.ts'
import type { ModelMessage } from './model-client.ts'
import { ARGUMENT_CHARS_MAX, ARGUMENTS_CHARS_MAX, cutMiddle, promptWindow, shorterArguments, tokensOf } from './prompt-window.ts'

let id = 0
const row = (role: AgentRow['role'], content: string, more: Partial<AgentRow> = {}): AgentRow =>
  ({ id: ++id, role, content, reasoning: null, tool_calls: null, tool_call_id: null, tool_name: null, finish_reason: null, atMs: 0, ...more })
const call = (callId: string, args = '{}'): WireCall => ({ id: callId, call_id: callId, type: 'function', function: { name: 'terminal', arguments: args } })
const write = (callId: string, content: string): AgentRow[] => [row('assistant', '', { tool_calls: [call(callId, JSON.stringify({ path: 'a.txt', content }))] }), row('tool', 'ok', { tool_call_id: callId })]
/** What each call is told to have had as its content. */
const contents = (messages: readonly ModelMessage[]): string[] => messages.flatMap((message) => (message.tool_calls ?? []) as WireCall[]).map((one) => (JSON.parse(one.function.arguments) as { content: string }).content)
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

test('questions with no answer between them are told as one, and kept as they were', () => {
  const rows = [row('user', 'one'), row('user', 'two'), row('user', 'three'), row('assistant', 'A'), row('user', 'four'), row('assistant', ''), row('user', 'five')]
  const before = JSON.stringify(rows)
  expect(promptWindow('s', rows, 10_000, 0).messages.slice(1)).toEqual([{ role: 'user', content: 'one\n\ntwo\n\nthree' }, { role: 'assistant', content: 'A' }, { role: 'user', content: 'four\n\nfive' }])
  expect(JSON.stringify(rows)).toBe(before)
})

test('a long argument of an older turn is cut, and says by how much; the turn stays', () => {
  const rows = [row('user', 'write'), ...write('x', 'w'.repeat(200_000)), row('assistant', 'Done.'), row('user', 'and'), ...write('y', 'v'.repeat(3_000)), row('assistant', 'Done too.'), row('user', 'now')]
  const { messages, turnsLeftOut, tokens } = promptWindow('s', rows, 4_000, 0)
  expect(turnsLeftOut).toBe(0)
  expect(tokens).toBeLessThanOrEqual(3_000)
  expect(contents(messages)).toEqual([`${'w'.repeat(200)}\n[199600 characters left out]\n${'w'.repeat(200)}`, 'v'.repeat(3_000)]) // The newer one has room.
  expect(contents(promptWindow('s', rows, 800, 0).messages)[1]).toContain('[2600 characters left out]')
  expect(contents(promptWindow('s', rows, 400_000, 0).messages)[0]).toHaveLength(200_000)
})

test('the newest turn is cut last: after older ones, and in it the oldest call first', () => {
  const older = [row('user', 'write'), ...write('x', 'w'.repeat(3_000)), row('user', 'more')]
  const one = promptWindow('s', [...older, ...write('y', 'v'.repeat(6_000))], 3_000, 0)
  expect(contents(one.messages).map((content) => content.length > 5_000)).toEqual([false, true])
  const alone = promptWindow('s', [row('user', 'go'), ...write('x', 'w'.repeat(200_000)), ...write('y', 'v'.repeat(2_000))], 2_000, 0)
  expect(contents(alone.messages).map((content) => /\d+ characters left out/.exec(content)?.[0] ?? null)).toEqual(['199600 characters left out', null])
  expect(alone.messages[1]?.content).toBe('go')
  expect(alone.tokens).toBeLessThanOrEqual(1_500)
  expect(promptWindow('s', [row('user', 'go'), ...write('x', 'w'.repeat(200_000))], 1_000, 0).tokens).toBeLessThanOrEqual(750)
})

test.each([
  ['short ones', '{"a":"b"}', '{"a":"b"}'],
  ['as long as allowed', JSON.stringify('x'.repeat(ARGUMENT_CHARS_MAX - 2)), JSON.stringify('x'.repeat(ARGUMENT_CHARS_MAX - 2))],
  ['too little to gain', JSON.stringify({ a: 'x'.repeat(ARGUMENT_CHARS_MAX + 1) }), JSON.stringify({ a: 'x'.repeat(ARGUMENT_CHARS_MAX + 1) })],
  ['texts in lists and objects, beside other values', JSON.stringify({ n: 7, on: true, none: null, list: [{ deep: 'y'.repeat(1_000) }, 'z'] }), JSON.stringify({ n: 7, on: true, none: null, list: [{ deep: `${'y'.repeat(200)}\n[600 characters left out]\n${'y'.repeat(200)}` }, 'z'] })],
  ['more texts than fit', JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(1_000))), '{"left_out":"20061 characters"}'],
  ['no text at all', JSON.stringify({ list: Array.from({ length: ARGUMENTS_CHARS_MAX }, (_, n) => n) }), '{"left_out":"18900 characters"}'],
  ['too deep to read', '['.repeat(100_000) + ']'.repeat(100_000), '{"left_out":"200000 characters"}'],
  ['no JSON', 'x'.repeat(500), '{"left_out":"500 characters"}'],
])('arguments, %s', (_what, before, after) => expect(shorterArguments(before)).toBe(after))

test('no character is cut in two', () => {
  expect(cutMiddle('😀'.repeat(6), 6, (count) => String(count))).toBe('😀\n8\n😀')
  expect(shorterArguments(JSON.stringify({ a: `x${'😀'.repeat(1_000)}` }))).toContain('[1602 characters left out]')
})

test('whatever is left out, calls and results stay together and the bound holds', () => {
  const turn = fc.tuple(fc.nat(2_000), fc.array(fc.tuple(fc.nat(2), fc.nat(3_000), fc.nat(100_000)), { maxLength: 4 }))
  fc.assert(fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), fc.integer({ min: 4_000, max: 20_000 }), (turns, tokensMax) => {
    const rows = turns.flatMap(([chars, rounds], at) => [row('user', 'u'.repeat(chars + 1)), ...rounds.flatMap(([calls, size, argument], round) => {
      const made = Array.from({ length: calls }, (_, n) => call(`${at}-${round}-${n}`, JSON.stringify({ content: 'c'.repeat(argument) })))
      return [row('assistant', 'w', { tool_calls: made.length > 0 ? made : null }), ...made.slice(size % 2).map((one) => row('tool', 'r'.repeat(size), { tool_call_id: one.id }))]
    })])
    const { messages, tokens } = promptWindow('system', rows, tokensMax, 10)
    expect(tokens).toBe(messages.reduce((sum, message) => sum + tokensOf(message), 10))
    expect(tokens).toBeLessThanOrEqual(tokensMax)
    const called = messages.flatMap((message) => (message.tool_calls ?? []) as WireCall[]).map((one) => one.id)
    expect(messages.filter((message) => message.role === 'tool').map((message) => message.tool_call_id)).toEqual(called)
    expect(messages.at(-1)).toBeDefined()
    expect(messages.some((message, at) => message.role === 'user' && messages[at - 1]?.role === 'user')).toBe(false)
  }))
})
