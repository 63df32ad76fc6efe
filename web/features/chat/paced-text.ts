/**
 * Streamed text at a pace that the eye and the keyboard can bear (ruling 13): max(8, ceil(pending/8)) characters a frame. Faster than
 * anyone reads, fewer and larger steps are drawn: every one moves the whole page, and painting it takes the processor from the keyboard.
 */

/** Characters drawn in one step at most. */
export const STEP_CHARS_MAX = 16_000
/** With more than this waiting nobody reads along, in UTF-16 units: a step takes a third, and the next is drawn FLOOD_DRAW_MS later. */
export const FLOOD_CHARS = 4_000
export const FLOOD_DRAW_MS = 50
/** Who typed within this time goes on typing, and after so long without a step one is drawn all the same, in ms. */
export const TYPING_MS = 300
export const FLOOD_TYPING_MS = 250
/** The frame of a key is over after this time, in ms. */
const KEY_FRAME_MS = 12

/**
 * Whether a step of a flood may be drawn in this frame. While a person types it is drawn in the frame behind that of a key, when the
 * next key is furthest away: a key that meets a step waits for the painting of a whole page.
 */
export function mayDrawFlood({ nowMs, drawnAtMs, typedAtMs }: { nowMs: number; drawnAtMs: number; typedAtMs: number }): boolean {
  if (nowMs - typedAtMs > TYPING_MS) return nowMs - drawnAtMs >= FLOOD_DRAW_MS
  return typedAtMs > drawnAtMs ? nowMs - typedAtMs > KEY_FRAME_MS : nowMs - drawnAtMs >= FLOOD_TYPING_MS
}
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
