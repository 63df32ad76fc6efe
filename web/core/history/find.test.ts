import { expect, test } from 'vitest'
import { FIND_CHARS_MAX, findNeedle, placesOf, rowHolds } from './find.ts'

test('places do not overlap and case does not count (chat-experience 27.4)', () => {
  expect(placesOf('aaaa AA', findNeedle(' aa '))).toEqual([[0, 2], [2, 4], [5, 7]])
  expect(placesOf('anything', findNeedle('   '))).toEqual([])
  expect(findNeedle('x'.repeat(500)).length).toBe(FIND_CHARS_MAX)
})

test('what a person can see is found, what is hidden from them is not', () => {
  const holds = (row: object): boolean => rowHolds({ id: 1, role: 'user', ...row }, 'needle')
  expect(holds({ content: 'a Needle here' })).toBe(true)
  expect(holds({ content: [{ type: 'text', text: 'a needle' }] })).toBe(true)
  expect(holds({ role: 'assistant', content: '', reasoning: 'where is the needle' })).toBe(true)
  expect(holds({ role: 'assistant', content: '', tool_calls: [{ function: { name: 'terminal', arguments: '{"command":"find needle"}' } }] })).toBe(true)
  expect(holds({ role: 'tool', content: '{"output":"needle"}' })).toBe(true)
  expect(holds({ content: '[System: needle]' })).toBe(false)
  expect(holds({ content: 'needle', display_kind: 'hidden' })).toBe(false)
  expect(holds({ role: 'system', content: 'needle' })).toBe(false)
})
