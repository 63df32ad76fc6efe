import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { finishBlocks, growBlocks, lexBlocks, noBlocks, OPEN_CHARS_MAX, readBlocks } from './settled-blocks.ts'

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
    expect(finishBlocks(blocks, text).settled.map((token) => [token.type, token.raw.trim()])).toEqual(readBlocks(text).map((token) => [token.type, token.raw.trim()]))
    expect([...blocks.settled, ...blocks.tail].filter((token) => token.type !== 'space').map((token) => [token.type, token.raw.trim()])).toEqual(whole.map((token) => [token.type, token.raw.trim()]))
  }), { seed: 20_261_130, numRuns: 200 })
})

test('text that was replaced starts again', () => {
  const first = growBlocks(noBlocks, 'one\n\ntwo\n\nthree\n\n')
  expect(growBlocks(first, 'other').tail.map((token) => token.raw)).toEqual(['other'])
})

test.each([['paragraph', (n: number) => `line ${n} of one endless paragraph\n`], ['list', (n: number) => `- item ${n} of one endless list\n`], ['ordered list', (n: number) => `${n + 1}. item of one endless list\n`]])('one endless %s keeps a small tail and loses no word', (_name, line) => {
  let text = ''
  let blocks = noBlocks
  for (let n = 0; n < 1_000; n += 1) {
    text += line(n)
    blocks = growBlocks(blocks, text)
    expect(text.length - blocks.settledText.length).toBeLessThanOrEqual(OPEN_CHARS_MAX + 100)
  }
  expect([...blocks.settled, ...blocks.tail].map((token) => token.raw.trim()).join('\n')).toBe(text.trim())
})

test.each([['list', (n: number) => `- item ${n} of one endless list\n`], ['ordered list', (n: number) => `${n + 1}. item of one endless list\n`]])('the pieces of a growing %s are those of the finished one: nothing is drawn again at its end', (_name, line) => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 3, maxLength: 30 }), (steps) => {
    const text = Array.from({ length: 600 }, (_, n) => line(n)).join('')
    let blocks = noBlocks
    let at = 0
    for (const step of steps) { at = Math.min(text.length, at + step); blocks = growBlocks(blocks, text.slice(0, at)) }
    const whole = finishBlocks(blocks, text)
    expect(whole.settled.slice(0, blocks.settled.length)).toEqual(blocks.settled)
    for (const [index, block] of blocks.settled.entries()) expect(whole.settled[index]).toBe(block)
    expect(whole.settled.map((token) => token.raw).join('').trimEnd()).toBe(text.trimEnd())
  }), { seed: 20_261_201, numRuns: 40 })
})

test('a paragraph that was cut while it grew is one again when it is whole', () => {
  const text = `${'Line of one endless paragraph\n'.repeat(300)}with **bold words\nand** an end`
  let blocks = noBlocks
  for (let at = 0; at < text.length; at += 700) blocks = growBlocks(blocks, text.slice(0, at))
  expect(blocks.settled.length).toBeGreaterThan(0)
  expect(finishBlocks(blocks, text).settled.map(({ type, raw }) => [type, raw])).toEqual([['paragraph', text]])
})

test('a growing table of few rows with very long cells is cut, too', () => {
  let text = '| a |\n|---|\n'
  let blocks = noBlocks
  for (let n = 0; n < 60; n += 1) {
    text += `| ${`${n} `.padEnd(1_000, 'x')} |\n`
    blocks = growBlocks(blocks, text)
    expect(text.length - blocks.settledText.length).toBeLessThanOrEqual(OPEN_CHARS_MAX * 4 + 1_100)
  }
  expect([...blocks.settled, ...blocks.tail].map((token) => token.raw).join('').trim()).toBe(text.trim())
})
