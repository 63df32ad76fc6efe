/** What a new chat offers depends on who answers. */
import { expect, test } from 'vitest'
import { suggestionsFor } from './suggestions.ts'

const facts = (kind: 'embedded' | 'dashboard', demo: boolean) => ({ kind, ready: true, version: null, demo })
const texts = (hermes: Parameters<typeof suggestionsFor>[0]): string[] => suggestionsFor(hermes).map((one) => one.text)

test('the demo offers words of its script, an agent work that it can do; both kinds of agent the same', () => {
  expect(texts(facts('embedded', true))).toEqual(['Show what fills the disk of this machine', 'danger', 'help'])
  expect(texts(facts('embedded', false))).toEqual(texts(facts('dashboard', false)))
  expect(texts(null)).toEqual(texts(facts('dashboard', false)))
  expect(texts(facts('dashboard', false)).filter((text) => texts(facts('embedded', true)).includes(text))).toEqual([])
})
test('nothing is offered that the small agent has no tool for', () => {
  expect(texts(facts('embedded', false)).join(' ')).not.toMatch(/every (?:morning|day)|remind|later|browser|internet/i)
})
