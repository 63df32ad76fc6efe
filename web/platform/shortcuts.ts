/** Every keyboard shortcut as data, and which of them a key press means. Pure: the page's sheet of shortcuts, its tooltips and its keys read the same table. */

export type ShortcutName = 'newChat' | 'find' | 'searchChats' | 'toggleList' | 'previousChat' | 'nextChat' | 'model' | 'help' | 'command' | 'stop' | 'latest' | 'nextMessage' | 'previousMessage'
type Key = { key: string; mod?: true; shift?: true; alt?: true }
/** `outside`: only while no field has the focus. `twice`: the second press within `TWICE_MS` acts. */
export type Shortcut = { name: ShortcutName; group: 'Anywhere' | 'In a conversation'; say: string; keys: Key; outside?: true; twice?: true }
export type ShortcutScope = 'all' | 'combined' | 'none'
export type Press = { key: string; code: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean; isComposing: boolean; keyCode?: number; repeat?: boolean }

/** Between the two presses of a shortcut that is pressed twice, in ms. */
export const TWICE_MS = 2_000

export const SHORTCUTS: readonly Shortcut[] = [
  { name: 'newChat', group: 'Anywhere', say: 'New chat', keys: { key: 'o', mod: true, shift: true } },
  { name: 'searchChats', group: 'Anywhere', say: 'Search conversations', keys: { key: 'k', mod: true } },
  { name: 'toggleList', group: 'Anywhere', say: 'Show or hide the list', keys: { key: 'b', mod: true } },
  { name: 'previousChat', group: 'Anywhere', say: 'Previous conversation', keys: { key: 'ArrowUp', alt: true } },
  { name: 'nextChat', group: 'Anywhere', say: 'Next conversation', keys: { key: 'ArrowDown', alt: true } },
  { name: 'help', group: 'Anywhere', say: 'This list', keys: { key: '?' }, outside: true },
  { name: 'command', group: 'In a conversation', say: 'Write a command', keys: { key: '/' }, outside: true },
  { name: 'find', group: 'In a conversation', say: 'Find; pressed again, the find of the browser', keys: { key: 'f', mod: true } },
  { name: 'model', group: 'In a conversation', say: 'Choose the model', keys: { key: 'm', mod: true, shift: true } },
  { name: 'nextMessage', group: 'In a conversation', say: 'Next message', keys: { key: 'j' }, outside: true },
  { name: 'previousMessage', group: 'In a conversation', say: 'Previous message', keys: { key: 'k' }, outside: true },
  { name: 'latest', group: 'In a conversation', say: 'To the latest message', keys: { key: 'End' }, outside: true },
  { name: 'stop', group: 'In a conversation', say: 'Stop the agent (press it twice)', keys: { key: 'Escape' }, twice: true },
]

/** On another alphabet the letter is found by its place on the keyboard. */
const sameKey = (press: Press, key: string): boolean =>
  press.key.toLowerCase() === key.toLowerCase() || (/^[a-z]$/.test(key) && !/^[a-z]$/i.test(press.key) && press.code === `Key${key.toUpperCase()}`)

export function isMeant({ keys }: Shortcut, press: Press, isMac: boolean): boolean {
  const isMod = isMac ? press.metaKey : press.ctrlKey
  const isOther = isMac ? press.ctrlKey : press.metaKey
  if (!sameKey(press, keys.key) || isOther || isMod !== (keys.mod === true) || press.altKey !== (keys.alt === true)) return false
  // A sign like `?` may or may not need Shift, depending on the keyboard.
  return /^[?/]$/.test(keys.key) || press.shiftKey === (keys.shift === true)
}

/** Whether the person's choice leaves this one on. */
export const isChosen = (one: Shortcut, scope: ShortcutScope): boolean => scope === 'all' || (scope === 'combined' && !one.outside)

/** The shortcut that this press means here and now. An input method keeps every key to itself. */
export function shortcutOf(press: Press, where: { isMac: boolean; inField: boolean; scope: ShortcutScope }): Shortcut | null {
  if (press.isComposing || press.keyCode === 229) return null
  return SHORTCUTS.find((one) => isChosen(one, where.scope) && isMeant(one, press, where.isMac) && !(one.outside && where.inField)) ?? null
}

const NAMES: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' }
/** "⌘ ⇧ O" or "Ctrl Shift O", one word for each key. */
export function keyWords(name: ShortcutName, isMac: boolean): string[] {
  const found = SHORTCUTS.find((one) => one.name === name)
  if (!found) return []
  const { keys } = found
  const last = NAMES[keys.key] ?? (keys.key.length === 1 ? keys.key.toUpperCase() : keys.key)
  return [keys.mod && (isMac ? '⌘' : 'Ctrl'), keys.alt && (isMac ? '⌥' : 'Alt'), keys.shift && (isMac ? '⇧' : 'Shift'), last, found.twice && last].filter((word) => typeof word === 'string')
}

/** Whoever registered last answers; `false` leaves the press to the browser. */
type Run = () => boolean | void
export type Registration = { run: Run; when?: () => boolean; armed?: () => void }

/** Which answer each name has now. `nowMs` is brought by the caller. */
export function createShortcutRegistry() {
  const byName = new Map<ShortcutName, Registration[]>()
  let armedAtMs = Number.NEGATIVE_INFINITY
  return {
    add(name: ShortcutName, registration: Registration): () => void {
      byName.set(name, [...(byName.get(name) ?? []), registration])
      return () => byName.set(name, (byName.get(name) ?? []).filter((one) => one !== registration))
    },
    /** Somebody would answer it now. */
    answers: (name: ShortcutName): boolean => byName.get(name)?.some((one) => one.when?.() ?? true) ?? false,
    /** True: the press was used, the browser shall not act. */
    press(shortcut: Shortcut, nowMs: number): boolean {
      const found = byName.get(shortcut.name)?.findLast((one) => one.when?.() ?? true)
      if (!found) return false
      if (shortcut.twice && nowMs - armedAtMs > TWICE_MS) { armedAtMs = nowMs; found.armed?.(); return true }
      armedAtMs = Number.NEGATIVE_INFINITY
      return found.run() !== false
    },
  }
}
