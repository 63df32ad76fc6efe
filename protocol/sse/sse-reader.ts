/** Server-sent events out of a stream that may be cut anywhere; whoever reads the bytes decodes them as one stream, and with that drops a byte order mark. The same events for every cut. */
import { createParser } from 'eventsource-parser'

/** One event at most, in UTF-16 units: a last event of an answer can hold pictures. */
export const SSE_EVENT_CHARS_MAX = 16 * 1_024 * 1_024

/** `event`: empty when the server named none. */
export type SseEvent = { event: string; data: string }
export class SseTooLong extends RangeError {}

export type SseReader = {
  /** The events that this piece made whole. @throws SseTooLong */
  feed(piece: string): readonly SseEvent[]
  /** What is left when the stream ends: servers forget the last blank line. */
  finish(): readonly SseEvent[]
  /** The id of the last event that had one, for asking to go on behind it. */
  readonly lastId: string | null
}

export function createSseReader(charsMax = SSE_EVENT_CHARS_MAX): SseReader {
  let events: SseEvent[] = []
  let lastId: string | null = null
  let openChars = 0
  const parser = createParser({
    onEvent({ event, data, id }) {
      openChars = 0
      if (id !== undefined) lastId = id
      events.push({ event: event ?? '', data })
    },
    onComment() { openChars = 0 },
  })
  const feed = (piece: string): readonly SseEvent[] => {
    openChars += piece.length
    events = []
    parser.feed(piece)
    if (openChars > charsMax) throw new SseTooLong(`an event of the stream is longer than ${charsMax} characters`)
    return events
  }
  return { feed, finish: () => feed('\n\n'), get lastId() { return lastId } }
}
