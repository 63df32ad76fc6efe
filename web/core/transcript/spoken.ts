/** What of a growing answer a screen reader is told: whole sentences, never single words, without the marks of markdown. Pure. */

/** Told at once at most, in UTF-16 units; a longer stretch is said to have come. */
export const SPOKEN_CHARS_MAX = 600

/** Where the last whole sentence behind `from` ends; `from` when there is none yet. A fence that is still open ends nothing. */
export function sentenceEnd(text: string, from: number): number {
  const part = text.slice(from)
  const ends = [...part.matchAll(/[.!?。！？](?=\s|$)|\n\s*\n/gu)]
  const last = ends.at(-1)
  if (!last) return from
  const end = from + last.index + last[0].length
  const fences = text.slice(0, end).match(/^```/gm)?.length ?? 0
  return fences % 2 === 1 ? from : end
}

/** Words for the ear. */
export function spokenWords(markdown: string): string {
  const words = markdown.replace(/```[^\n]*\n[\s\S]*?(?:```|$)/g, ' Code. ').replace(/^[ \t]*\|.*\|[ \t]*$/gm, ' ').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/^[#>\-*+\d. \t]+(?=\S)/gm, '').replace(/[*_`~]+/g, '').replace(/\s+/g, ' ').trim()
  return words.length <= SPOKEN_CHARS_MAX ? words : `${words.slice(0, SPOKEN_CHARS_MAX)} and more`
}
