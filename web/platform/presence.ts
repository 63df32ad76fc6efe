/** Whether a person can see this page and whether the device says that it has a network. */
import { createSignal, onCleanup } from 'solid-js'

export const isVisible = (): boolean => document.visibilityState === 'visible'

/** Calls back when the page is looked at again, or the network returned. */
export function onNudge(nudge: () => void): () => void {
  const look = (): void => { if (isVisible()) nudge() }
  document.addEventListener('visibilitychange', look)
  window.addEventListener('online', nudge)
  window.addEventListener('pageshow', nudge)
  return () => {
    document.removeEventListener('visibilitychange', look)
    window.removeEventListener('online', nudge)
    window.removeEventListener('pageshow', nudge)
  }
}

export function createOnline(): () => boolean {
  const [online, setOnline] = createSignal(navigator.onLine)
  const read = (): void => { setOnline(navigator.onLine) }
  window.addEventListener('online', read)
  window.addEventListener('offline', read)
  onCleanup(() => { window.removeEventListener('online', read); window.removeEventListener('offline', read) })
  return online
}

/** A media query as an accessor. */
export function createMedia(query: string): () => boolean {
  const media = matchMedia(query)
  const [matches, setMatches] = createSignal(media.matches)
  const read = (): void => { setMatches(media.matches) }
  media.addEventListener('change', read)
  onCleanup(() => media.removeEventListener('change', read))
  return matches
}

/** A clock that ticks while someone listens. */
export function createTicker(everyMs: number): () => number {
  const [at, setAt] = createSignal(Date.now())
  const timer = setInterval(() => setAt(Date.now()), everyMs)
  onCleanup(() => clearInterval(timer))
  return at
}

/** "Chrome on Linux": how this browser is called in the list of devices. */
export function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Edg\//.test(agent) ? 'Edge' : /Firefox\//.test(agent) ? 'Firefox' : /Chrome\//.test(agent) ? 'Chrome' : /Safari\//.test(agent) ? 'Safari' : 'Browser'
  const system = /Android/.test(agent) ? 'Android' : /iPhone|iPad/.test(agent) ? 'iOS' : /Mac OS/.test(agent) ? 'Mac' : /Windows/.test(agent) ? 'Windows' : /Linux|X11/.test(agent) ? 'Linux' : 'this device'
  return `${browser} on ${system}`
}
