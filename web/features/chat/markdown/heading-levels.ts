/** Levels for the headings of one answer under the page's own h1: no level is skipped, however the answer skips them. Pure. */
import type { Token } from 'marked'

export function headingLevels(tokens: readonly Token[]): number[] {
  let before = 1
  return tokens.map((token) => {
    if (token.type === 'heading') before = Math.min(6, before + 1, (token as { depth: number }).depth + 1)
    return Math.max(2, before)
  })
}
