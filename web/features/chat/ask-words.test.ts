/** A button says what the answer does. */
import { expect, test } from 'vitest'
import { choiceWords } from './ask-words.ts'

test('what is allowed for a chat is the one command with the small agent, the kind of command with Hermes', () => {
  expect([choiceWords('session', true), choiceWords('session', false)]).toEqual(['Allow this command in this chat', 'For this chat'])
  expect(['once', 'always', 'deny'].map((choice) => choiceWords(choice, true))).toEqual(['once', 'always', 'deny'].map((choice) => choiceWords(choice, false)))
  expect(choiceWords('a word of a later agent', true)).toBe('a word of a later agent')
})
