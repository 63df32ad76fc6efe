/**
 * Some models write their thinking into the answer, between `<think>` and `</think>`, before they begin. Pure: content in, words and
 * thoughts out. Only a tag at the very beginning counts, so that an answer may speak about the tag.
 */
const OPEN = '<think>'
const CLOSE = '</think>'

export type Said = { kind: 'text' | 'reasoning'; text: string }

export class ThinkSplit {
  #at: 'start' | 'inside' | 'after' | 'answer' = 'start'
  #held = ''

  /** What is certain after this piece; the beginning of a possible tag waits. */
  push(piece: string): Said[] {
    this.#held += piece
    const said: Said[] = []
    if (this.#at === 'start') this.#start()
    if (this.#at === 'inside') this.#inside(said)
    if (this.#at === 'after') this.#after()
    if (this.#at === 'answer') this.#tell(said, 'text', this.#held.length)
    return said
  }

  /** The stream ended: what waited is what it looked like. */
  end(): Said[] {
    const said: Said[] = []
    if (this.#at !== 'after') this.#tell(said, this.#at === 'inside' ? 'reasoning' : 'text', this.#held.length)
    return said
  }

  #start(): void {
    const begun = this.#held.trimStart()
    if (begun.startsWith(OPEN)) {
      this.#held = begun.slice(OPEN.length)
      this.#at = 'inside'
    } else if (!OPEN.startsWith(begun)) this.#at = 'answer'
  }

  #inside(said: Said[]): void {
    const end = this.#held.indexOf(CLOSE)
    if (end < 0) return this.#tell(said, 'reasoning', this.#held.length - tagBegun(this.#held))
    this.#tell(said, 'reasoning', end)
    this.#held = this.#held.slice(CLOSE.length)
    this.#at = 'after'
  }

  /** Blank lines between the thinking and the answer are nobody's. */
  #after(): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#at = 'answer'
  }

  #tell(said: Said[], kind: Said['kind'], length: number): void {
    if (length > 0) said.push({ kind, text: this.#held.slice(0, length) })
    this.#held = this.#held.slice(length)
  }
}

/** How many characters at the end of the text may be the beginning of the closing tag. */
function tagBegun(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) if (CLOSE.startsWith(text.slice(-length))) return length
  return 0
}
