import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnsi } from './ansi.ts'

test('colours and bold survive, other sequences go', () => {
  expect(readAnsi('a\x1b[31;1mred\x1b[0m\x1b[2Kz\x1b]0;title\x07!')).toEqual([
    { text: 'a', colour: null, bold: false }, { text: 'red', colour: 1, bold: true }, { text: 'z', colour: null, bold: false }, { text: '!', colour: null, bold: false },
  ])
  expect(readAnsi('\x1b[38;5;31mx')).toEqual([{ text: 'x', colour: null, bold: false }])
})
test('a progress line shows its last state', () => expect(readAnsi('10 %\r99 %\r\ndone').map((p) => p.text).join('')).toBe('99 %\ndone'))
test('no control character is ever shown', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('\x1b', '[', '3', '1', 'm', ';', ']', '\x07', 'a', '\n', '\x00') }), (text) => {
    expect(readAnsi(text).map((piece) => piece.text).join('')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/)
  }))
})
