/**
 * The relay that runs, and how another agent is put behind it: the assembled parts are closed and put together again on the same port;
 * pages come back by themselves, with everything that the store holds. A change that fails is taken back.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { UpstreamTransport } from '../lease/upstream-transport.ts'
import type { Assembled } from './assemble.ts'

/** The port was ours a moment ago; the system may need one to give it back. */
export const LISTEN_TRIES_MAX = 20
const LISTEN_AGAIN_MS = 100

export class Running {
  readonly #build: (transport: UpstreamTransport) => Assembled
  #now: Assembled
  #port = 0
  #change: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(build: (transport: UpstreamTransport) => Assembled, first: UpstreamTransport) {
    this.#build = build
    this.#now = build(first)
  }

  get now(): Assembled { return this.#now }

  /** The first time; later ones take the same port. */
  async listen(port: number): Promise<number> {
    this.#port = await this.#now.relay.listen(port)
    return this.#port
  }

  /** `make` may throw: then nothing was changed. `back` makes again what was there before. */
  changeTo(make: () => Promise<UpstreamTransport>, back: () => Promise<UpstreamTransport>): Promise<void> {
    const change = this.#change.then(async () => {
      if (this.#isClosed) return
      const next = await make()
      if (this.#isClosed) return next.close()
      await this.#now.close()
      try {
        await this.#begin(next)
      } catch (error) {
        await this.#begin(await back())
        throw error
      }
    })
    this.#change = change.catch(() => {})
    return change
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#change
    await this.#now.close()
  }

  async #begin(transport: UpstreamTransport): Promise<void> {
    let next: Assembled | null = null
    try {
      next = this.#build(transport)
      await this.#listenAgain(next)
      await next.start()
    } catch (error) {
      await (next ? next.close() : transport.close())
      throw error
    }
    this.#now = next
  }

  async #listenAgain({ relay }: Assembled): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await relay.listen(this.#port)
        return
      } catch (error) {
        if ((error as { code?: string }).code !== 'EADDRINUSE' || tries >= LISTEN_TRIES_MAX) throw error
        await pause(LISTEN_AGAIN_MS)
      }
    }
  }
}
