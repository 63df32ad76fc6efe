import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSamePrompt, isServerNotice, wellFormed } from './same-prompt.ts'

test.each([
  ['verbatim', 'hello', 'hello', true],
  ['blanks around it', 'hello\n', ' hello', true],
  ['another text', 'hello there', 'hello', false],
  ['a folder taken out, a warning appended', 'say: look at now\n\n--- Context Warnings ---\n- @folder:.: no', 'say: look at @folder:. now', true],
  ['a file taken out, punctuation closed', 'read, please\n\n--- Attached Context ---\n\n[file a.txt]', 'read @file:a.txt, please', true],
  ['a quoted file with lines', 'explain\n\n--- Attached Context ---\n\nx', 'explain @file:"my file.ts":3-9', true],
  ['nothing but references', '--- Attached Context ---\n\nx', '@diff @staged', true],
  ['the same references around other words', 'look there\n\n--- Attached Context ---\n\nx', 'look here @diff', false],
  ['no reference: what is appended is another message', 'hello\n\n--- Attached Context ---\n\nx', 'hello', false],
  ['an address is no reference', 'mail a@diff.example', 'mail a@diff.example ', true],
  ['half a surrogate pair', 'broken \ufffd', 'broken \ud83d', true],
])('%s', (_name, stored, sent, same) => {
  expect(isSamePrompt(stored, sent)).toBe(same)
})

test('every text is the same as itself, and as what UTF-8 keeps of it', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isSamePrompt(text, text) && isSamePrompt(Buffer.from(text, 'utf8').toString('utf8'), text)))
  expect(wellFormed('a😀b')).toBe('a😀b')
})

test('what the server wrote is no message of a person', () => {
  expect([isServerNotice('[IMPORTANT: Background process x ended]'), isServerNotice('[System: note]'), isServerNotice('[x] hello')]).toEqual([true, true, false])
})
