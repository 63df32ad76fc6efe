/** Dark or light: the system's choice until the person chooses. Kept in localStorage, because it must be known before the first paint. */
import { createSignal } from 'solid-js'

const KEY = 'hermes-theme'
const system = matchMedia('(prefers-color-scheme: light)')
const stored = (): string | null => { try { return localStorage.getItem(KEY) } catch { return null } }
const [choice, setChoice] = createSignal(stored())
const [systemLight, setSystemLight] = createSignal(system.matches)
system.addEventListener('change', () => { setSystemLight(system.matches); apply() })

export const isLight = (): boolean => (choice() ? choice() === 'light' : systemLight())

function apply(): void { document.documentElement.dataset['theme'] = isLight() ? 'light' : 'dark' }
export function toggleTheme(): void {
  setChoice(isLight() ? 'dark' : 'light')
  try { localStorage.setItem(KEY, choice() ?? '') } catch { /* Private mode: the choice lasts for this page. */ }
  apply()
}
apply()
