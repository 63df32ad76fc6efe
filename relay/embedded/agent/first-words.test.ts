import { expect, test } from 'vitest'
import { firstWords, TITLE_CHARS_MAX } from './first-words.ts'

test.each([
  ['Hello', 'Hello'],
  ['\n\n# Plan  the *garden*\nbeds', 'Plan the garden'],
  ['Look at all the files in this folder and tell me what they are for', 'Look at all the files in this folder and tell me…'],
  ['x'.repeat(80), `${'x'.repeat(TITLE_CHARS_MAX)}…`],
  ['😀'.repeat(60), `${'😀'.repeat(TITLE_CHARS_MAX)}…`],
  [' \n ', ''],
])('%s', (text, title) => {
  expect(firstWords(text)).toBe(title)
})
