/** How the page looks: the person's choice, or the system's. Written on the root element, where the style sheets read it. */
import { createSignal } from 'solid-js'

export type Look = { theme: 'system' | 'dark' | 'light'; textScale: number; reduceMotion: boolean }

const [light, setLight] = createSignal(false)
/** Light colours are shown now, whoever chose them. */
export const isLight = light

const BACKGROUND = { dark: '#08090D', light: '#F6F4FB' } as const
let look: Look | null = null

export function applyLook(next: Look): void {
  const system = matchMedia('(prefers-color-scheme: light)')
  if (look === null) system.addEventListener('change', () => { if (look) applyLook(look) })
  look = next
  const theme = next.theme === 'system' ? (system.matches ? 'light' : 'dark') : next.theme
  setLight(theme === 'light')
  const root = document.documentElement
  root.dataset['theme'] = theme
  root.dataset['scale'] = String(next.textScale)
  root.dataset['motion'] = next.reduceMotion ? 'reduce' : 'system'
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) meta.content = next.theme === 'system' ? (meta.media.includes('light') ? BACKGROUND.light : BACKGROUND.dark) : BACKGROUND[theme]
}
