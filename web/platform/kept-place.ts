/** Where the eye was, over a reload that a person did not ask for by a key: the row of the list that is read, and how far it is scrolled. */

const KEY = 'hermes-place'
/** A place that nobody came back to is forgotten, in ms. */
const PLACE_MAX_MS = 60_000

export type KeptPlace = { hash: string; key: string; offsetPx: number; atMs: number }

/** `null` when the end is followed: that is where the page opens anyway. */
function findPlace(): Omit<KeptPlace, 'atMs'> | null {
  const list = document.querySelector<HTMLElement>('[role="log"]')
  if (!list || list.scrollHeight - list.scrollTop - list.clientHeight < 2) return null
  const top = list.getBoundingClientRect().top
  const row = [...list.querySelectorAll<HTMLElement>('[data-key]')].find((one) => one.getBoundingClientRect().bottom > top + 1)
  const key = row?.dataset['key']
  return row && key !== undefined ? { hash: location.hash, key, offsetPx: row.getBoundingClientRect().top - top } : null
}

export function keepPlace(): void {
  const place = findPlace()
  try { if (place) sessionStorage.setItem(KEY, JSON.stringify({ ...place, atMs: Date.now() })) } catch { /* It opens at the end. */ }
}

/** Once. */
export function takePlace(): KeptPlace | null {
  try {
    const place = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as KeptPlace | null
    sessionStorage.removeItem(KEY)
    return place && Date.now() - place.atMs < PLACE_MAX_MS && place.hash === location.hash ? place : null
  } catch {
    return null
  }
}
