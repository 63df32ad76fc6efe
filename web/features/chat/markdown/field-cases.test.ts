/** Cases that broke other clients in the field. */
import type { Token, Tokens } from 'marked'
import { expect, test } from 'vitest'
import { finishBlocks, growBlocks, noBlocks, OPEN_CHARS_MAX, readBlocks, TABLE_PIECE_ROWS } from './settled-blocks.ts'

const types = (text: string): string[] => readBlocks(text).map((token) => token.type)
const links = (tokens: readonly Token[] | undefined): string[] => (tokens ?? []).flatMap((token) => [...(token.type === 'link' ? [(token as Tokens.Link).href] : []), ...links('tokens' in token ? token.tokens : [])])

test('a table right below a line is a table, not a paragraph', () => {
  expect(types('Here it is:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter')).toEqual(['paragraph', 'table', 'paragraph'])
  expect(types('Here it is:\n| a | b |\n|---|---|\n| 1 | 2 |')).toContain('table')
})
test('a link in a cell is linked once', () => {
  const table = readBlocks('| a | b |\n|---|---|\n| [x](https://example.org/x) | https://example.org/y |')[0] as Tokens.Table
  expect(table.rows[0]?.map((cell) => links(cell.tokens))).toEqual([['https://example.org/x'], ['https://example.org/y']])
})
test('diff text in a fence is code, also while the fence is open', () => {
  expect(types('```diff\n- one\n+ two\n- three\n```')).toEqual(['code'])
  expect(growBlocks(noBlocks, '```diff\n- one\n+ two\n').tail.map((token) => token.type)).toEqual(['code'])
})
test('an unclosed fence is code to the end', () => expect(types('```\nnever closed\n\n# not a heading')).toEqual(['code']))
test('prices are no formulas, formulas are', () => {
  const inner = (text: string): string[] => ((readBlocks(text)[0] as Tokens.Paragraph).tokens ?? []).map((token) => token.type)
  expect(inner('It costs $5 and $10 more')).toEqual(['text'])
  expect(inner('an $x_1 * y_2$ here')).toEqual(['text', 'math', 'text'])
  expect(types('$$\na + b\n$$\n')).toEqual(['math'])
})
test('5,000 rows come in pieces that can be drawn, without a lost row', () => {
  const rows = Array.from({ length: 5_000 }, (_, n) => `| ${n} | b |`)
  const pieces = readBlocks(`| a | b |\n|---|---|\n${rows.join('\n')}\n`) as Tokens.Table[]
  expect(pieces.every((piece) => piece.rows.length <= TABLE_PIECE_ROWS)).toBe(true)
  expect(pieces.flatMap((piece) => piece.rows.map((row) => row[0]?.text))).toEqual(rows.map((_, n) => String(n)))
})
test('one endless table keeps a small tail, loses no row, and ends as the same table', () => {
  let text = '| a | b |\n|---|---|\n'
  let blocks = growBlocks(noBlocks, text)
  for (let n = 0; n < 1_500; n += 1) {
    text += `| row ${n} | some words of it |\n`
    blocks = growBlocks(blocks, text)
    expect(text.length - blocks.settledText.length).toBeLessThanOrEqual(OPEN_CHARS_MAX + 100)
  }
  blocks = growBlocks(blocks, `${text}\nand words after it, of more than one\nline\n`)
  const all = [...blocks.settled, ...blocks.tail]
  expect(all.filter((token) => token.type === 'table').flatMap((token) => (token as Tokens.Table).rows.map((row) => row[0]?.text))).toEqual(Array.from({ length: 1_500 }, (_, n) => `row ${n}`))
  expect(all.at(-1)?.type).toBe('paragraph')
  expect(finishBlocks(blocks, text).settled.flatMap((token) => (token as Tokens.Table).rows.length).reduce((a, b) => a + b)).toBe(1_500)
})
test('a reference that is defined at the end becomes a link when the text is whole', () => {
  const text = 'See [the page][1] for more.\n\nMore words.\n\n[1]: https://example.org/late\n'
  let blocks = noBlocks
  for (let at = 1; at <= text.length; at += 1) blocks = growBlocks(blocks, text.slice(0, at))
  expect(links(blocks.settled[0] && 'tokens' in blocks.settled[0] ? blocks.settled[0].tokens : [])).toEqual([])
  expect(links((finishBlocks(blocks, text).settled[0] as Tokens.Paragraph).tokens)).toEqual(['https://example.org/late'])
})
test('2 MB in one fence are one block', () => {
  const code = `\`\`\`\n${'x'.repeat(99)}\n`.padEnd(100, '') + `${'y'.repeat(99)}\n`.repeat(20_000) + '```'
  expect(types(code)).toEqual(['code'])
})
