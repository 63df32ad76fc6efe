/** How much streamed text one frame of the screen may show (ruling 13): an eighth of what waits, no upper clamp. */
export const FRAME_CHARS_MIN = 8

/** Characters to show now when `pending` wait. */
export const frameBudget = (pending: number): number => Math.min(pending, Math.max(FRAME_CHARS_MIN, Math.ceil(pending / 8)))

/** The same, but never between the halves of a surrogate pair: one less then, or both when nothing else would be shown. */
export function frameCut(text: string, budget = frameBudget(text.length)): number {
  if (budget >= text.length) return text.length
  const last = text.charCodeAt(budget - 1)
  if (last < 0xd800 || last > 0xdbff) return budget
  return budget > 1 ? budget - 1 : 2
}
