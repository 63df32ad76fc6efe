/** Events of the API server as frames (contract api-server.md 16). What is not JSON is counted, never fatal. */
import { createSseReader, type SseEvent } from '../sse/sse-reader.ts'
import { type Payload, record, text } from '../turn/payload.ts'
import type { StreamFrame } from './stream-fact.ts'

export type FrameReader = {
  /** Frames that this piece made whole. @throws SseTooLong */
  feed(piece: string): readonly StreamFrame[]
  /** The last frame counts also without its blank line. */
  finish(): readonly StreamFrame[]
  /** Frames whose data was neither JSON nor a known word. */
  readonly broken: number
  /** The id of the last frame that had one, for asking to go on behind it. */
  readonly lastId: string | null
}

export function createFrameReader(): FrameReader {
  const reader = createSseReader()
  let broken = 0
  const frames = (events: readonly SseEvent[]): readonly StreamFrame[] => events.flatMap((event) => {
    const frame = readFrame(event)
    if (!frame) broken += 1
    return frame ? [frame] : []
  })
  return {
    feed: (piece) => frames(reader.feed(piece)),
    finish: () => frames(reader.finish()),
    get broken() { return broken },
    get lastId() { return reader.lastId },
  }
}

/** The name of a frame: its field, else `type` or `event` of its JSON (contract api-server.md 4.3). */
function readFrame({ event, data }: SseEvent): StreamFrame | null {
  if (data === '[DONE]') return { event: event || 'done', payload: null, word: data }
  let payload: Payload | null
  try {
    payload = record(JSON.parse(data))
  } catch {
    return null
  }
  return payload && { event: event || text(payload, 'type', 'event'), payload, word: null }
}
