/** What a person chose for this browser. In localStorage, because colours and size must be known before the first paint; unknown values fall back. */
import { createSignal } from 'solid-js'
import { applyLook } from '#web/platform/theme.ts'

const TEXT_SCALES = [0.85, 1, 1.15, 1.3] as const
const CHOICES = {
  theme: ['system', 'dark', 'light'], textScale: TEXT_SCALES, reduceMotion: [false, true], enter: ['send', 'newline'], showThinking: [true, false],
  toolDisplay: ['detailed', 'compact'], listOpen: [true, false], shortcuts: ['all', 'combined', 'none'],
} as const
type Choices = typeof CHOICES
/** The column of conversations, in px. */
export const LIST_WIDTH_MIN = 240
export const LIST_WIDTH_MAX = 400
export type Preferences = { [Name in keyof Choices]: Choices[Name][number] } & { listWidth: number }
/** `theme` system: what the device says. `enter` newline: Ctrl or Cmd+Enter sends. `shortcuts` combined: only those with Ctrl, Cmd or Alt. */
export const DEFAULTS: Preferences = { theme: 'system', textScale: 1, reduceMotion: false, enter: 'send', showThinking: true, toolDisplay: 'detailed', listOpen: true, shortcuts: 'all', listWidth: 288 }

/** Longer texts are not read: nothing of ours wrote them. */
export const PREFERENCES_BYTES_MAX = 4_096
export const PREFERENCES_KEY = 'hermes-preferences'

/** What is stored, value by value: one that is unknown costs only itself. */
export function parsePreferences(text: string | null): Preferences {
  let stored: unknown = null
  try { stored = text && text.length <= PREFERENCES_BYTES_MAX ? JSON.parse(text) : null } catch { /* Not ours: the defaults hold. */ }
  if (typeof stored !== 'object' || stored === null) return DEFAULTS
  const known = Object.entries(CHOICES).filter(([name, values]) => (values as readonly unknown[]).includes((stored as Record<string, unknown>)[name]))
  const width = (stored as Record<string, unknown>)['listWidth']
  const listWidth = typeof width === 'number' && width >= LIST_WIDTH_MIN && width <= LIST_WIDTH_MAX ? Math.round(width) : DEFAULTS.listWidth
  return { ...DEFAULTS, listWidth, ...Object.fromEntries(known.map(([name]) => [name, (stored as Record<string, unknown>)[name]])) }
}

const read = (): string | null => { try { return localStorage.getItem(PREFERENCES_KEY) } catch { return null } }
const [all, setAll] = createSignal(parsePreferences(read()))

export const preference = <Name extends keyof Preferences>(name: Name): Preferences[Name] => all()[name]
export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  setAll((old) => ({ ...old, [name]: value }))
  applyLook(all())
  try { localStorage.setItem(PREFERENCES_KEY, JSON.stringify(all())) } catch { /* Private mode: the choice lasts for this page. */ }
}

/** For the start of the page: the look at once, then whatever another tab chooses. */
export function startPreferences(): void {
  applyLook(all())
  window.addEventListener('storage', (event) => { if (event.key === PREFERENCES_KEY) applyLook(setAll(parsePreferences(event.newValue))) })
}
