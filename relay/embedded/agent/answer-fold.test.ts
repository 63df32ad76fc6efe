import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANSWER_CHARS_MAX, AnswerFold, ARGS_CHARS_MAX, CALLS_MAX, type Heard } from './answer-fold.ts'

const delta = (fields: object, finish: string | null = null) => ({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
const fold = (chunks: readonly unknown[]) => {
  const folder = new AnswerFold()
  const heard: Heard[] = [...chunks.flatMap((chunk) => folder.push(chunk)), ...folder.end()]
  let made = 0
  return { heard, folder, answer: folder.answer(() => `made-${++made}`) }
}

test('words, thoughts of every dialect, the end and the usage', () => {
  const { answer, heard } = fold([
    delta({ role: 'assistant', content: null }), delta({ reasoning_content: 'Hm' }), delta({ reasoning: ', well' }), delta({ content: 'Hel' }), delta({ content: [{ type: 'text', text: 'lo' }] }),
    delta({}, 'stop'), { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } },
  ])
  expect(answer).toEqual({ text: 'Hello', reasoning: 'Hm, well', calls: [], finish: 'stop', usage: { input: 12, output: 3 } })
  expect(heard).toEqual([{ kind: 'reasoning', text: 'Hm' }, { kind: 'reasoning', text: ', well' }, { kind: 'text', text: 'Hel' }, { kind: 'text', text: 'lo' }])
})

test('thinking inside the answer', () => {
  expect(fold([delta({ content: '<thi' }), delta({ content: 'nk>Hm</th' }), delta({ content: 'ink>\n\nYes' })]).answer).toMatchObject({ text: 'Yes', reasoning: 'Hm' })
})

test('arguments in fragments, any cut', () => {
  const args = JSON.stringify({ command: 'echo "é😀"' })
  fc.assert(fc.property(fc.array(fc.nat(args.length)), (cuts) => {
    const at = [...new Set(cuts)].sort((a, b) => a - b)
    const pieces = [0, ...at].map((from, index) => args.slice(from, at[index] ?? args.length))
    const { answer, heard } = fold([
      delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'terminal', arguments: '' } }] }),
      ...pieces.map((piece) => delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
      delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'read_file', arguments: '{}' } }] }, 'tool_calls'),
    ])
    expect(answer.calls).toEqual([{ id: 'a', name: 'terminal', args }, { id: 'b', name: 'read_file', args: '{}' }])
    expect(heard).toEqual([{ kind: 'call_begun', name: 'terminal' }, { kind: 'call_begun', name: 'read_file' }])
  }))
})

test.each([
  ['no index, whole calls', [[{ id: 'a', function: { name: 'x', arguments: '{}' } }], [{ id: 'b', function: { name: 'y', arguments: { z: 1 } } }]], [['a', 'x', '{}'], ['b', 'y', '{"z":1}']]],
  ['no id', [[{ index: 0, function: { name: 'x', arguments: '{' } }], [{ index: 0, function: { name: 'x', arguments: '}' } }]], [['made-1', 'x', '{}']]],
  ['the same index for two calls', [[{ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }], [{ index: 0, id: 'b', function: { name: 'x', arguments: '{}' } }]], [['a', 'x', '{}'], ['b', 'x', '{}']]],
  ['interleaved', [[{ index: 0, id: 'a', function: { name: 'x' } }], [{ index: 1, id: 'b', function: { name: 'y' } }], [{ index: 0, function: { arguments: '1' } }], [{ index: 1, function: { arguments: '2' } }]], [['a', 'x', '1'], ['b', 'y', '2']]],
  ['no name, ever', [[{ index: 0, id: 'a', function: { arguments: '{}' } }]], []],
])('dialect: %s', (_name, chunks, calls) => {
  expect(fold(chunks.map((tool_calls) => delta({ tool_calls }))).answer.calls.map(({ id, name, args }) => [id, name, args])).toEqual(calls)
})

test('a server that does not stream', () => {
  expect(fold([{ choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } }]).answer).toMatchObject({ text: 'Hi', finish: 'stop' })
})

test('total: whatever comes, nothing is thrown', () => {
  fc.assert(fc.property(fc.array(fc.jsonValue()), (chunks) => {
    fold([...chunks, ...chunks.map((chunk) => ({ choices: [chunk] })), ...chunks.map((chunk) => delta({ content: chunk, tool_calls: [chunk], reasoning: chunk }))])
  }))
})

test('answer, calls and arguments have bounds; a cut answer says so', () => {
  const long = fold([delta({ content: 'x'.repeat(ANSWER_CHARS_MAX) }), delta({ content: 'y' }, 'stop')])
  expect([long.answer.text.length, long.answer.finish, long.heard.length]).toEqual([ANSWER_CHARS_MAX, 'length', 1])
  const many = fold([delta({ tool_calls: Array.from({ length: CALLS_MAX + 1 }, (_, index) => ({ index, id: `${index}`, function: { name: 'x', arguments: '{}' } })) })])
  expect([many.answer.calls.length, many.folder.isCut]).toEqual([CALLS_MAX, true])
  const wide = fold([delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'x', arguments: 'x'.repeat(ARGS_CHARS_MAX + 1) } }] })])
  expect(wide.folder.isCut).toBe(true)
})
