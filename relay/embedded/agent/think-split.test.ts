import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Said, ThinkSplit } from './think-split.ts'

const split = (pieces: readonly string[]): { text: string; reasoning: string } => {
  const splitter = new ThinkSplit()
  const said: Said[] = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  const of = (kind: Said['kind']) => said.filter((one) => one.kind === kind).map((one) => one.text).join('')
  return { text: of('text'), reasoning: of('reasoning') }
}

test.each([
  ['an answer', 'Hello <think>no</think>', { text: 'Hello <think>no</think>', reasoning: '' }],
  ['thinking first', '\n<think>\nHm < 3\n</think>\n\nHello', { text: 'Hello', reasoning: '\nHm < 3\n' }],
  ['never closed', '<think>Hm </thi', { text: '', reasoning: 'Hm </thi' }],
  ['only begun', ' <thi', { text: ' <thi', reasoning: '' }],
  ['nothing after', '<think>Hm</think>\n', { text: '', reasoning: 'Hm' }],
])('%s', (_name, whole, expected) => {
  expect(split([whole])).toEqual(expected)
  expect(split([...whole])).toEqual(expected)
})

test('any chunking gives the same words and thoughts', () => {
  const piece = fc.constantFrom('<think>', '</think>', '<', '</', 'thi', 'nk>', ' ', '\n', 'a', '😀')
  fc.assert(fc.property(fc.array(fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')), { maxLength: 12 }), (pieces) => {
    expect(split(pieces)).toEqual(split([pieces.join('')]))
  }), { numRuns: 1_000 })
})
