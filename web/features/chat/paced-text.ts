/** Streamed text at a pace that the eye and the keyboard can bear (ruling 13): max(8, ceil(pending/8)) characters a frame, 4,000 at most. */
import { createEffect, createSignal, onCleanup } from 'solid-js'

/** Characters drawn in one step at most (spikes-web.md 4). */
export const STEP_CHARS_MAX = 4_000

/** Characters to show after one frame. Never half of a surrogate pair. */
export function paceStep(shown: number, text: string): number {
  const pending = text.length - shown
  if (pending <= 0) return text.length
  const next = shown + Math.min(pending, STEP_CHARS_MAX, Math.max(8, Math.ceil(pending / 8)))
  const code = text.charCodeAt(next - 1)
  return code >= 0xd800 && code <= 0xdbff && next < text.length ? next + 1 : next
}

/** What is there at first is shown at once; growth is paced; a hidden page gets everything. */
export function createPacedText(text: () => string): () => string {
  const [shown, setShown] = createSignal(text().length)
  let frame = 0
  let known = text()
  const run = (): void => {
    frame = 0
    const next = paceStep(shown(), known)
    setShown(next)
    if (next < known.length) frame = requestAnimationFrame(run)
  }
  createEffect(() => {
    const now = text()
    if (!now.startsWith(known.slice(0, shown()))) setShown(now.length) // Replaced by what was re-read, not extended.
    known = now
    if (document.visibilityState !== 'visible') setShown(now.length)
    else if (frame === 0 && shown() < now.length) frame = requestAnimationFrame(run)
  })
  onCleanup(() => cancelAnimationFrame(frame))
  return () => text().slice(0, shown())
}
