/** Preferences from outside: what is unknown falls back, one by one. */
import { expect, test } from 'vitest'
import { DEFAULTS, LIST_WIDTH_MAX, LIST_WIDTH_MIN, parsePreferences, PREFERENCES_BYTES_MAX } from './preferences.ts'

test('known values are taken, unknown ones cost only themselves', () => {
  expect(parsePreferences(JSON.stringify({ theme: 'light', textScale: 1.3, enter: 'shout', showThinking: false, other: 1 }))).toEqual({ ...DEFAULTS, theme: 'light', textScale: 1.3, showThinking: false })
})

test.each([null, '', 'null', '7', '{', '[]', '{"theme":{}}'])('%s gives the defaults', (text) => expect(parsePreferences(text)).toEqual(DEFAULTS))

test('a text longer than ours is not read', () => {
  const padded = (bytes: number): string => JSON.stringify({ theme: 'light' }).padEnd(bytes, ' ')
  expect(parsePreferences(padded(PREFERENCES_BYTES_MAX)).theme).toBe('light')
  expect(parsePreferences(padded(PREFERENCES_BYTES_MAX + 1)).theme).toBe('system')
})

test.each([[LIST_WIDTH_MIN, LIST_WIDTH_MIN], [LIST_WIDTH_MAX, LIST_WIDTH_MAX], [LIST_WIDTH_MAX + 1, 288], [LIST_WIDTH_MIN - 1, 288], ['300', 288]])('a list of %j px is %i px wide', (listWidth, width) => expect(parsePreferences(JSON.stringify({ listWidth })).listWidth).toBe(width))
