import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sentenceEnd, SPOKEN_CHARS_MAX, spokenWords } from './spoken.ts'

test('only whole sentences are told, each once, whatever the pieces', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom('One two. ', 'Is it? ', 'No end yet', ' and so on. ', '\n\n', '```\ncode. more\n```\n'), { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
    const text = parts.join('')
    let told = 0
    let said = ''
    for (let at = 0; at <= text.length; at += size) {
      const end = sentenceEnd(text.slice(0, at), told)
      expect(end).toBeGreaterThanOrEqual(told)
      said += text.slice(told, end)
      told = end
    }
    expect(text.startsWith(said)).toBe(true)
  }), { seed: 20_261_201 })
  expect(sentenceEnd('Half a sent', 0)).toBe(0)
  expect(sentenceEnd('Done. Half', 0)).toBe(5)
  expect(sentenceEnd('```\na.b. c', 0)).toBe(0)
})
test('marks are not read out, code is named, and there is an end', () => {
  expect(spokenWords('## Head\n\n- **bold** and `code` in [a link](https://example.org)')).toBe('Head bold and code in a link')
  expect(spokenWords('Look:\n```ts\nconst a = 1\n```\nThere.')).toBe('Look: Code. There.')
  expect(spokenWords('x'.repeat(2_000)).length).toBeLessThanOrEqual(SPOKEN_CHARS_MAX + 9)
})
