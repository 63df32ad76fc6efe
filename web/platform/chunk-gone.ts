/**
 * A part of the page that is loaded late and could not be had: the relay was updated, or is out of reach. One reload is offered; when the
 * same build misses it again after that, another reload would not help and is not offered: never a loop.
 */
import { createSignal } from 'solid-js'

export type ChunkGone = null | 'offer' | 'in_vain'
const KEY = 'hermes-reloaded-for'
const [chunkGone, setChunkGone] = createSignal<ChunkGone>(null)
export { chunkGone }
const failures = new WeakSet<object>()
/** This error says that a part could not be had, and no mistake of ours. */
export const isChunkFailure = (error: unknown): boolean => typeof error === 'object' && error !== null && failures.has(error)

/** The name of the entry has the hash of everything that it loads. */
const buildId = (): string => document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? ''
const remembered = (): string | null => { try { return sessionStorage.getItem(KEY) } catch { return null } }

export function watchChunks(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    failures.add(payload)
    setChunkGone(remembered() === buildId() ? 'in_vain' : 'offer')
  })
}

/** Before a reload because of it. */
export function rememberReload(): void {
  try { sessionStorage.setItem(KEY, buildId()) } catch { /* Without it a person may reload once more than helps. */ }
}
