/** Streamed text at a pace that the eye and the keyboard can bear (ruling 13): max(8, ceil(pending/8)) characters a frame, 4,000 at most. */

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
