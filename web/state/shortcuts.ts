/** Keys of the whole page: one listener, which asks the table what a press means and whoever registered last to act. */
import { onCleanup } from 'solid-js'
import { createShortcutRegistry, isChosen, keyWords, type Registration, type Shortcut, type ShortcutName, shortcutOf } from '#web/platform/shortcuts.ts'
import { preference } from './preferences.ts'

const registry = createShortcutRegistry()
export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '')

/**
 * Answers a shortcut as long as the calling component lives. `run` returning `false` leaves the press to the browser.
 * `when`: only then. `armed`: the first press of one that is pressed twice.
 */
export function useShortcut(name: ShortcutName, run: Registration['run'], more: Omit<Registration, 'run'> = {}): void {
  onCleanup(registry.add(name, { run, ...more }))
}

/** It would do something now: somebody answers it, and the person did not switch it off. */
export const isAvailable = (shortcut: Shortcut): boolean => isChosen(shortcut, preference('shortcuts')) && registry.answers(shortcut.name)

/** "Ctrl+Shift+O", for tooltips and `aria-keyshortcuts`. */
export const shortcutWords = (name: ShortcutName): string => keyWords(name, isMac).join(isMac ? '' : '+')

const FIELD = 'input:not([type=button], [type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=""], [contenteditable=true]'
const isField = (target: EventTarget | null): boolean => target instanceof Element && target.matches(FIELD)

/** Call once, for the page. A layer that used Escape has prevented it before this listener hears of it. */
export function listenForShortcuts(): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return
    const found = shortcutOf(event, { isMac, inField: isField(event.target), scope: preference('shortcuts') })
    // Under an open dialog the page does not move.
    if (!found || document.querySelector('dialog:modal')) return
    if (registry.press(found, event.timeStamp)) event.preventDefault()
  }
  window.addEventListener('keydown', onKeyDown)
  return () => window.removeEventListener('keydown', onKeyDown)
}
