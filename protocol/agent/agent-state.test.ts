/** The doors of a wish: limits of address, model and key, and what is no wish at all. */
import { expect, test } from 'vitest'
import { AgentWish, KEY_CHARS_MAX, MODEL_CHARS_MAX, ModelsQuestion, URL_CHARS_MAX } from './agent-state.ts'

const wish = (more: object) => AgentWish.safeParse({ kind: 'provider', base_url: 'http://x', model: 'm', ...more }).success

test('limits are reached, and nothing fits beyond them', () => {
  expect([wish({}), wish({ base_url: 'u'.repeat(URL_CHARS_MAX) }), wish({ model: 'm'.repeat(MODEL_CHARS_MAX) }), wish({ key: 'k'.repeat(KEY_CHARS_MAX) }), wish({ key: null }), wish({ key: '' })]).toEqual([true, true, true, true, true, true])
  expect([wish({ base_url: 'u'.repeat(URL_CHARS_MAX + 1) }), wish({ model: 'm'.repeat(MODEL_CHARS_MAX + 1) }), wish({ key: 'k'.repeat(KEY_CHARS_MAX + 1) }), wish({ base_url: '' }), wish({ model: ' ' }), wish({ key: 'a\nb' })]).toEqual([false, false, false, false, false, false])
  expect([AgentWish.safeParse({ kind: 'dashboard', url: 'http://x' }).success, ModelsQuestion.safeParse({}).success]).toEqual([false, false])
})
