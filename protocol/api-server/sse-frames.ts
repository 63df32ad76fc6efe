/** Text of an event stream as frames (contract api-server.md 16), at any cut; whoever reads the bytes decodes them as one stream. What is not JSON is counted, never fatal. */
import { createParser } from 'eventsource-parser'
import { type Payload, record, type StreamFrame, text } from './stream-fact.ts'

/** One frame at most, in UTF-16 units: a last event can hold pictures. */
export const FRAME_CHARS_MAX = 16 * 1_024 * 1_024

export type FrameReader = {
  /** Frames that this piece made whole. @throws FrameTooLarge */
  feed(piece: string): readonly StreamFrame[]
  /** The last frame counts also without its blank line. */
  finish(): readonly StreamFrame[]
  /** Frames whose data was neither JSON nor a known word. */
  readonly broken: number
  /** The id of the last frame that had one, for asking to go on behind it. */
  readonly lastId: string | null
}
export class FrameTooLarge extends Error {}

export function createFrameReader(): FrameReader {
  let frames: StreamFrame[] = []
  let broken = 0
  let lastId: string | null = null
  let pendingChars = 0
  const parser = createParser({
    onEvent({ event, data, id }) {
      pendingChars = 0
      if (id !== undefined) lastId = id
      const frame = readFrame(event ?? '', data)
      if (frame) frames.push(frame)
      else broken += 1
    },
    onComment() { pendingChars = 0 },
  })
  const take = (piece: string): readonly StreamFrame[] => {
    pendingChars += piece.length
    frames = []
    parser.feed(piece)
    if (pendingChars > FRAME_CHARS_MAX) throw new FrameTooLarge(`one frame is longer than ${FRAME_CHARS_MAX} characters`)
    return frames
  }
  return {
    feed: take,
    finish: () => take('\n\n'),
    get broken() { return broken },
    get lastId() { return lastId },
  }
}

/** The name of a frame: its field, else `type` or `event` of its JSON (contract api-server.md 4.3). */
function readFrame(event: string, data: string): StreamFrame | null {
  if (data === '[DONE]') return { event: event || 'done', payload: null, word: data }
  let payload: Payload | null
  try {
    payload = record(JSON.parse(data))
  } catch {
    return null
  }
  return payload && { event: event || text(payload, 'type', 'event'), payload, word: null }
}
