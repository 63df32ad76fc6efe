/** Server-sent events out of a stream that may be cut anywhere. Pure: chunks in, events out; the same events for every cut. */

/** Longest line, in UTF-16 units: one event of a model is a few hundred. */
export const SSE_LINE_CHARS_MAX = 4 * 1_024 * 1_024
/** Longest event, in UTF-16 units: its lines together. */
export const SSE_EVENT_CHARS_MAX = 8 * 1_024 * 1_024

export type SseEvent = { event: string; data: string }

export class SseParser {
  #line = ''
  #skipNewline = false
  #atStart = true
  #event = ''
  #data: string[] = []
  #chars = 0

  /** The events that this chunk finishes. Throws a RangeError when a line or an event is longer than its bound. */
  push(chunk: string): SseEvent[] {
    const events: SseEvent[] = []
    let from = 0
    if (this.#skipNewline && chunk !== '') {
      if (chunk[0] === '\n') from = 1 // The other half of a line end.
      this.#skipNewline = false
    }
    for (let at = from; at < chunk.length; at++) {
      const char = chunk[at]
      if (char !== '\n' && char !== '\r') continue
      this.#extend(chunk.slice(from, at))
      const event = this.#endLine()
      if (event) events.push(event)
      if (char === '\r') {
        if (at + 1 === chunk.length) this.#skipNewline = true
        else if (chunk[at + 1] === '\n') at += 1
      }
      from = at + 1
    }
    this.#extend(chunk.slice(from))
    return events
  }

  /** What is left when the stream ends: servers forget the last blank line, so a whole last line still counts. */
  end(): SseEvent[] {
    const last = this.#line === '' ? null : this.#endLine()
    const rest = this.#endEvent()
    return [last, rest].filter((event) => event !== null)
  }

  #extend(text: string): void {
    if (this.#line.length + text.length > SSE_LINE_CHARS_MAX) throw new RangeError('a line of the stream is too long')
    this.#line += text
  }

  #endLine(): SseEvent | null {
    const line = this.#atStart && this.#line.startsWith('\ufeff') ? this.#line.slice(1) : this.#line
    this.#line = ''
    this.#atStart = false
    if (line === '') return this.#endEvent()
    const colon = line.indexOf(':')
    if (colon === 0) return null // A comment: servers send them to keep the line open.
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'event') this.#event = value
    if (field === 'data') {
      this.#chars += value.length
      if (this.#chars > SSE_EVENT_CHARS_MAX) throw new RangeError('an event of the stream is too long')
      this.#data.push(value)
    }
    return null
  }

  #endEvent(): SseEvent | null {
    const event = this.#data.length === 0 ? null : { event: this.#event || 'message', data: this.#data.join('\n') }
    this.#event = ''
    this.#data = []
    this.#chars = 0
    return event
  }
}
