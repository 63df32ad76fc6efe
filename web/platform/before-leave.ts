/** What must be on disk before this page goes: each editor says how it saves, and whoever reloads the page waits for all of them. */

/** A disk that does not answer holds nobody for longer, in ms. */
export const SAVE_WITHIN_MS = 2_000

const savers = new Set<() => Promise<unknown>>()

/** Also called when the page is hidden or left, where nobody can wait: what `save` writes has to be on its way when it returns. */
export function onBeforeLeave(save: () => Promise<unknown>): () => void {
  savers.add(save)
  return () => savers.delete(save)
}

export async function saveAll(): Promise<void> {
  const saved = Promise.allSettled([...savers].map((save) => save()))
  await Promise.race([saved, new Promise((resolve) => setTimeout(resolve, SAVE_WITHIN_MS))])
}

/** The two last words a browser says to a page; on a phone often only the first. */
export function saveWhenLeft(target: Window & typeof globalThis = window): void {
  target.document.addEventListener('visibilitychange', () => { if (target.document.visibilityState === 'hidden') void saveAll() })
  target.addEventListener('pagehide', () => void saveAll())
}
