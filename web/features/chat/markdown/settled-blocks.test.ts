import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { growBlocks, lexBlocks, noBlocks } from './settled-blocks.ts'

const PARTS = ['# head\n\n', 'words **bold** and `code`\n', 'next line\n\n', '- one\n- two\n\n', '```ts\nconst a = 1\n\nb\n```\n\n', '| a | b |\n|---|---|\n| 1 | 2 |\n\n', '> quote\n\n', '1. first\n2. second\n\n', '---\n\n']

test('text that grows in pieces gives the blocks of the whole', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }), (parts, cuts) => {
    const text = parts.join('')
    let blocks = noBlocks
    for (let at = 0, index = 0; at < text.length; index += 1) {
      at = Math.min(text.length, at + (cuts[index % cuts.length] ?? 1))
      blocks = growBlocks(blocks, text.slice(0, at))
    }
    const whole = lexBlocks(text).filter((token) => token.type !== 'space')
    expect([...blocks.settled, ...blocks.tail].filter((token) => token.type !== 'space').map((token) => [token.type, token.raw.trim()])).toEqual(whole.map((token) => [token.type, token.raw.trim()]))
  }), { seed: 20_261_130, numRuns: 200 })
})

test('text that was replaced starts again', () => {
  const first = growBlocks(noBlocks, 'one\n\ntwo\n\nthree\n\n')
  expect(growBlocks(first, 'other').tail.map((token) => token.raw)).toEqual(['other'])
})
