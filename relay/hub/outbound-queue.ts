/** Frames waiting for one socket, by channel priority, first come first served within one. Bounded in bytes: over it the socket must go. */
export const QUEUE_BYTES_MAX = 32 * 1_024 * 1_024
/** Frames of one lane beyond its head that are already gone, before the array is cut. */
const CUT_AFTER = 1_024

export type OutboundFrame = { text: string; bytes: number; priority: number }
type Lane = { priority: number; frames: (OutboundFrame | undefined)[]; head: number }

export class OutboundQueue {
  readonly #lanes: Lane[] = []
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = QUEUE_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }
  get bytes(): number {
    return this.#bytes
  }

  /** False when the frame does not fit: nothing was queued, and the reader is too slow. */
  push(frame: OutboundFrame): boolean {
    if (this.#bytes + frame.bytes > this.#bytesMax) return false
    this.#lane(frame.priority).frames.push(frame)
    this.#bytes += frame.bytes
    return true
  }

  peek(): OutboundFrame | null {
    const lane = this.#first()
    return lane ? (lane.frames[lane.head] as OutboundFrame) : null
  }

  shift(): OutboundFrame | null {
    const lane = this.#first()
    if (!lane) return null
    const frame = lane.frames[lane.head] as OutboundFrame
    lane.frames[lane.head++] = undefined
    this.#bytes -= frame.bytes
    if (lane.head === lane.frames.length || lane.head >= CUT_AFTER) {
      lane.frames.splice(0, lane.head)
      lane.head = 0
    }
    return frame
  }

  clear(): void {
    this.#lanes.length = 0
    this.#bytes = 0
  }

  #first(): Lane | undefined {
    return this.#lanes.find((lane) => lane.head < lane.frames.length)
  }

  #lane(priority: number): Lane {
    const known = this.#lanes.find((lane) => lane.priority === priority)
    if (known) return known
    const lane: Lane = { priority, frames: [], head: 0 }
    this.#lanes.push(lane)
    this.#lanes.sort((a, b) => a.priority - b.priority)
    return lane
  }
}
