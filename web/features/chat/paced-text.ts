/**
 * Streamed text at a pace that the eye and the keyboard can bear (ruling 13): max(8, ceil(pending/8)) characters a frame. Faster than
 * anyone reads, fewer and larger steps are drawn: every one moves the whole page, and painting it takes the processor from the keyboard.
 */

/** Characters drawn in one step at most. */
export const STEP_CHARS_MAX = 16_000
/** With more than this waiting nobody reads along, in UTF-16 units; the next step is drawn after FLOOD_DRAW_MS, and takes a third. */
export const FLOOD_CHARS = 4_000
export const FLOOD_DRAW_MS = 50
/** Characters of a step at least. */
export const STEP_CHARS_MIN = 8
/** Frames in which what is left of a finished answer is drawn: nobody waits for words that are there. */
export const LAST_FRAMES = 8

/** Characters to show after one frame, `leastChars` of them at least. Never half of a surrogate pair. */
export function paceStep(shown: number, text: string, leastChars = STEP_CHARS_MIN): number {
  const pending = text.length - shown
  if (pending <= 0) return text.length
  const next = shown + Math.min(pending, STEP_CHARS_MAX, Math.max(leastChars, Math.ceil(pending / (pending > FLOOD_CHARS ? 3 : 8))))
  const code = text.charCodeAt(next - 1)
  return code >= 0xd800 && code <= 0xdbff && next < text.length ? next + 1 : next
}
