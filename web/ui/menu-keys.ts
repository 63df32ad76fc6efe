/** Which item of a menu a key goes to: arrows wrap around, Home and End, and the first letters of its words. Pure. */
/** Letters typed within this time belong to one word, in ms. */
export const TYPEAHEAD_MS = 700

export type MenuFocus = { index: number; typed: string; typedAtMs: number }
type Entry = { label: string; disabled?: boolean | undefined }

/** Null: not a key of menus. */
export function stepMenu(focus: MenuFocus, key: string, entries: readonly Entry[], nowMs: number): MenuFocus | null {
  const usable = entries.flatMap((entry, index) => (entry.disabled ? [] : [index]))
  if (usable.length === 0) return null
  const to = (index: number): MenuFocus => ({ index, typed: '', typedAtMs: nowMs })
  switch (key) {
    case 'ArrowDown': return to(usable.find((index) => index > focus.index) ?? (usable[0] as number))
    case 'ArrowUp': return to(usable.findLast((index) => index < focus.index) ?? (usable.at(-1) as number))
    case 'Home': return to(usable[0] as number)
    case 'End': return to(usable.at(-1) as number)
  }
  if (key.length !== 1 || key === ' ') return null
  const typed = nowMs - focus.typedAtMs <= TYPEAHEAD_MS ? focus.typed + key.toLowerCase() : key.toLowerCase()
  // The same letter again goes on to the next of its words; a longer word may stay where it is.
  const isOneLetter = [...typed].every((letter) => letter === typed[0])
  const words = isOneLetter ? (typed[0] as string) : typed
  const after = usable.filter((index) => (isOneLetter ? index > focus.index : index >= focus.index))
  const found = [...after, ...usable].find((index) => entries[index]?.label.toLowerCase().startsWith(words))
  return { index: found ?? focus.index, typed, typedAtMs: nowMs }
}
