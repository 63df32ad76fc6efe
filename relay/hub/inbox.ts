/** Frames of one socket on their way in: one channel's frames one after another, and reading stops while too many wait. */
/** Frames that may wait before the socket is no longer read (what its last packet still held may come on top). */
export const WAITING_FRAMES_MAX = 256
const RESUME_BELOW = WAITING_FRAMES_MAX / 2

export interface Flow {
  pause(): void
  resume(): void
}

export class Inbox {
  readonly #tails = new Map<string, Promise<void>>()
  readonly #flow: Flow
  #waiting = 0
  #paused = false

  constructor(flow: Flow) {
    this.#flow = flow
  }
  get waiting(): number {
    return this.#waiting
  }

  /** `work` starts when the channel's earlier frames are done; it must not throw. */
  add(channel: string, work: () => Promise<void>): void {
    this.#waiting++
    if (!this.#paused && this.#waiting >= WAITING_FRAMES_MAX) {
      this.#paused = true
      this.#flow.pause()
    }
    const tail = (this.#tails.get(channel) ?? Promise.resolve()).then(work).finally(() => {
      this.#waiting--
      if (this.#tails.get(channel) === tail) this.#tails.delete(channel)
      if (this.#paused && this.#waiting < RESUME_BELOW) {
        this.#paused = false
        this.#flow.resume()
      }
    })
    this.#tails.set(channel, tail)
  }
}
