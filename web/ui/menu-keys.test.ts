/** Keys of a menu, one after the other. */
import { expect, test } from 'vitest'
import { type MenuFocus, stepMenu, TYPEAHEAD_MS } from './menu-keys.ts'

const ENTRIES = [{ label: 'Rename' }, { label: 'Archive' }, { label: 'Open', disabled: true }, { label: 'Delete' }, { label: 'Details' }]
function after(keys: readonly string[], everyMs = 10, start = 0): number {
  let focus: MenuFocus = { index: start, typed: '', typedAtMs: Number.NEGATIVE_INFINITY }
  keys.forEach((key, turn) => { focus = stepMenu(focus, key, ENTRIES, turn * everyMs) ?? focus })
  return focus.index
}
test.each([
  [['ArrowDown'], 1], [['ArrowDown', 'ArrowDown'], 3], [['ArrowUp'], 4], [['End'], 4], [['End', 'ArrowDown'], 0], [['End', 'Home'], 0],
  [['a'], 1], [['d'], 3], [['d', 'd'], 4], [['d', 'e', 't'], 4], [['D', 'e', 'l'], 3], [['o'], 0], [['z'], 0],
])('%j goes to %i', (keys, index) => expect(after(keys)).toBe(index))
test('letters far apart are two words', () => expect(after(['d', 'a'], TYPEAHEAD_MS + 1)).toBe(1))
test('other keys are left alone', () => {
  for (const key of ['Tab', 'Escape', ' ', 'F2']) expect(stepMenu({ index: 0, typed: '', typedAtMs: 0 }, key, ENTRIES, 0)).toBeNull()
  expect(stepMenu({ index: 0, typed: '', typedAtMs: 0 }, 'ArrowDown', [], 0)).toBeNull()
})
