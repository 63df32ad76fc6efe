/** The words of a button that shows only an icon: on hover after a moment, at once on keyboard focus. One element for the whole page. */
import { createEffect, onCleanup } from 'solid-js'
import type { ShortcutName } from '#web/platform/shortcuts.ts'
import { shortcutWords } from '#web/state/shortcuts.ts'
import { putBeside } from './place.ts'

const HOVER_MS = 450

let tip: HTMLElement | null = null
let owner: HTMLElement | null = null

function show(anchor: HTMLElement, words: string, keys: string): void {
  if (!anchor.isConnected) return
  tip ??= Object.assign(document.createElement('div'), { className: 'tip', popover: 'manual' })
  // In the dialog that holds the button: elsewhere it would be inert.
  ;(anchor.closest('dialog') ?? document.body).append(tip)
  tip.ariaHidden = 'true' // The button says the same by its label.
  tip.replaceChildren(words)
  if (keys) tip.append(Object.assign(document.createElement('kbd'), { textContent: keys }))
  if (typeof tip.showPopover !== 'function') return
  tip.showPopover()
  putBeside(anchor, tip, { side: 'below', align: 'center', gap: 6 })
  owner = anchor
}
function hide(anchor: HTMLElement): void {
  if (owner !== anchor) return
  owner = null
  tip?.hidePopover()
}

/** For `ref`: gives the button its label, its tooltip and the keys that do the same. */
export const labelled = (words: () => string, shortcut?: ShortcutName) => (el: HTMLElement): void => {
  const keys = shortcut ? shortcutWords(shortcut) : ''
  let timer: ReturnType<typeof setTimeout> | undefined
  createEffect(() => el.setAttribute('aria-label', words()))
  if (keys) el.setAttribute('aria-keyshortcuts', keys.replaceAll('Ctrl', 'Control'))
  const leave = (): void => { clearTimeout(timer); hide(el) }
  el.addEventListener('pointerenter', (event) => { if (event.pointerType === 'mouse') timer = setTimeout(() => show(el, words(), keys), HOVER_MS) })
  el.addEventListener('focus', () => { if (el.matches(':focus-visible')) show(el, words(), keys) })
  for (const end of ['pointerleave', 'blur', 'click'] as const) el.addEventListener(end, leave)
  el.addEventListener('keydown', (event) => { if (event.key === 'Escape') leave() })
  onCleanup(leave)
}
