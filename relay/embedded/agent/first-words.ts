/** A title for a conversation out of its first message: whole words, at most 50 characters. Pure. */
export const TITLE_CHARS_MAX = 50

export function firstWords(text: string): string {
  const line = text.split('\n').map((one) => one.replace(/[#*_`>]+/g, ' ').replace(/\s+/g, ' ').trim()).find((one) => one !== '') ?? ''
  const chars = [...line]
  if (chars.length <= TITLE_CHARS_MAX) return line
  const cut = chars.slice(0, TITLE_CHARS_MAX).join('')
  const lastSpace = cut.lastIndexOf(' ')
  return `${(lastSpace > TITLE_CHARS_MAX / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}
