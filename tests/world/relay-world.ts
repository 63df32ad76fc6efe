/** The relay of a test: the real registry and live channel over a journal that survives it and an upstream that can fail. */
import type { Chance } from '#relay/clock/clock.ts'
import { createLiveChannel, type LiveChannel } from '#relay/channels/live/live-channel.ts'
import { createPlayerTransport } from '#relay/embedded/player-transport.ts'
import type { PlayerHost } from '#relay/embedded/player-host.ts'
import { createFakeJournal, type FakeJournal } from '#relay/lease/journal.fake.ts'
import { LeaseRegistry } from '#relay/lease/lease-registry.ts'
import type { RowReader } from '#relay/lease/row-reader.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import type { VirtualClock } from './virtual-clock.ts'

export type RelayParts = { clock: VirtualClock; chance: Chance; host: PlayerHost; rows?: (transport: UpstreamTransport) => RowReader; wrap?: (transport: UpstreamTransport) => UpstreamTransport }

export class RelayWorld {
  readonly journal: FakeJournal = createFakeJournal()
  readonly log: { line: string; facts: Record<string, unknown> }[] = []
  readonly #parts: RelayParts
  #transport: UpstreamTransport | null = null
  #registry: LeaseRegistry | null = null
  #channel: LiveChannel | null = null
  /** How often the relay was started, and how often its line to Hermes was lost: what may excuse an activate (I10). */
  starts = 0

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  get isUp(): boolean { return this.#registry !== null }
  get registry(): LeaseRegistry {
    if (!this.#registry) throw new Error('the relay is down')
    return this.#registry
  }
  get channel(): LiveChannel {
    if (!this.#channel) throw new Error('the relay is down')
    return this.#channel
  }

  async start(): Promise<void> {
    if (this.#registry) return
    const { clock, chance, host, rows, wrap } = this.#parts
    this.starts += 1
    const inner = createPlayerTransport({ clock, chance, host })
    const transport = wrap ? wrap(inner) : inner
    const registry = new LeaseRegistry({
      transport, journal: this.journal, clock, chance, onActivity: () => channel.activityChanged(), onLog: (line, facts) => this.log.push({ line, facts }),
      ...(rows ? { rows: rows(transport) } : {}),
    })
    const channel = createLiveChannel({ registry: () => registry, clock })
    this.#transport = transport
    this.#registry = registry
    this.#channel = channel
    await registry.start()
  }

  /** SIGKILL: nothing is flushed, nothing is said; only the journal stays. */
  kill(): void {
    this.#registry?.close()
    this.#channel?.close()
    this.#transport?.close()
    this.#registry = null
    this.#channel = null
    this.#transport = null
  }
}
