/** Which press means what: letters stay letters in a field, an input method is left alone. */
import { expect, test } from 'vitest'
import { createShortcutRegistry, keyWords, type Press, SHORTCUTS, shortcutOf, TWICE_MS } from './shortcuts.ts'

const press = (key: string, more: Partial<Press> = {}): Press => ({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, ...more })
const PC = { isMac: false, inField: false, scope: 'all' } as const
const named = (one: Press, where: Parameters<typeof shortcutOf>[1] = PC) => shortcutOf(one, where)?.name ?? null

test.each([
  [press('O', { ctrlKey: true, shiftKey: true }), 'newChat'], [press('f', { ctrlKey: true }), 'find'], [press('k', { ctrlKey: true }), 'searchChats'],
  [press('b', { ctrlKey: true }), 'toggleList'], [press('ArrowUp', { altKey: true }), 'previousChat'], [press('ArrowDown', { altKey: true }), 'nextChat'],
  [press('M', { ctrlKey: true, shiftKey: true }), 'model'], [press('?', { shiftKey: true }), 'help'], [press('/'), 'command'], [press('/', { shiftKey: true }), 'command'],
  [press('j'), 'nextMessage'], [press('k'), 'previousMessage'], [press('End'), 'latest'], [press('Escape'), 'stop'],
  [press('o', { ctrlKey: true }), null], [press('f'), null], [press('f', { ctrlKey: true, altKey: true }), null], [press('f', { metaKey: true }), null],
])('%o means %s', (one, name) => expect(named(one)).toBe(name))

test('on a Mac the command key counts and Ctrl does not', () => {
  expect(named(press('f', { metaKey: true }), { ...PC, isMac: true })).toBe('find')
  expect(named(press('f', { ctrlKey: true }), { ...PC, isMac: true })).toBeNull()
})

test('a letter on another alphabet is found by its place', () => expect(named(press('л', { code: 'KeyK', ctrlKey: true }))).toBe('searchChats'))

test('no single key acts in a field, and no key at all while an input method composes', () => {
  for (const { keys, outside } of SHORTCUTS) {
    const one = press(keys.key, { ctrlKey: keys.mod === true, altKey: keys.alt === true, shiftKey: keys.shift === true })
    expect(named({ ...one, isComposing: true })).toBeNull()
    expect(named({ ...one, keyCode: 229 })).toBeNull()
    expect(named(one, { ...PC, inField: true }) === null).toBe(outside === true)
    expect(named(one, { ...PC, scope: 'none' })).toBeNull()
    if (keys.key.length === 1 && !keys.mod) expect(outside).toBe(true)
  }
})

test('who registered last answers, and gives it back', () => {
  const registry = createShortcutRegistry()
  const find = SHORTCUTS.find((one) => one.name === 'find')
  if (!find) throw new Error('no find')
  const heard: string[] = []
  expect(registry.press(find, 0)).toBe(false)
  registry.add('find', { run: () => { heard.push('page') } })
  const leave = registry.add('find', { run: () => { heard.push('dialog'); return false } })
  expect(registry.press(find, 0)).toBe(false) // Left to the browser.
  leave()
  expect(registry.press(find, 0)).toBe(true)
  registry.add('find', { run: () => { heard.push('never') }, when: () => false })
  registry.press(find, 0)
  expect(heard).toEqual(['dialog', 'page', 'page'])
})

test('Escape stops only when it is pressed twice in time', () => {
  const registry = createShortcutRegistry()
  const stop = SHORTCUTS.find((one) => one.name === 'stop')
  if (!stop) throw new Error('no stop')
  const heard: string[] = []
  registry.add('stop', { run: () => { heard.push('stop') }, armed: () => heard.push('armed') })
  registry.press(stop, 1_000)
  registry.press(stop, 1_001 + TWICE_MS)
  registry.press(stop, 1_001 + 2 * TWICE_MS)
  registry.press(stop, 1_002 + 2 * TWICE_MS)
  expect(heard).toEqual(['armed', 'armed', 'stop', 'armed'])
})

test('what nobody answers now is not available', () => {
  const registry = createShortcutRegistry()
  expect(registry.answers('find')).toBe(false)
  let here = true
  const leave = registry.add('find', { run: () => undefined, when: () => here })
  expect(registry.answers('find')).toBe(true)
  here = false
  expect(registry.answers('find')).toBe(false)
  here = true
  leave()
  expect(registry.answers('find')).toBe(false)
})

test('the words of the keys', () => {
  expect(keyWords('newChat', false)).toEqual(['Ctrl', 'Shift', 'O'])
  expect(keyWords('newChat', true)).toEqual(['⌘', '⇧', 'O'])
  expect(keyWords('stop', false)).toEqual(['Esc', 'Esc'])
})
