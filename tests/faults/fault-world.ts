/**
 * One run of a schedule: pages, relay and Hermes under a clock that only this run moves. Breaks happen in the moment that the
 * schedule names, at a frame; everything heals; then the world is left alone until it is quiet, and the invariants are asked.
 */
import { createPlayerHost, type PlayerHost } from '#relay/embedded/player-host.ts'
import type { Chance } from '#relay/clock/clock.ts'
import { RING_BYTES_MAX, STUB_BYTES_MAX } from '#relay/lease/event-stream.ts'
import type { Lease } from '#relay/lease/lease.ts'
import type { FakeJournal } from '#relay/lease/journal.fake.ts'
import type { RowReader } from '#relay/lease/row-reader.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import type { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import { createFaultTransport, type FaultTransport, type UpstreamHand } from '#tests/world/fault-transport.ts'
import { PageWorld } from '#tests/world/page-world.ts'
import { RelayWorld } from '#tests/world/relay-world.ts'
import { createSeededChance } from '#tests/world/seeded-chance.ts'
import { createVirtualClock, type VirtualClock } from '#tests/world/virtual-clock.ts'
import type { Break, Deed, Fault, Phase, Schedule } from './fault-schedule.ts'

/** Bugs that can be put in, to see that the invariants find them (lease.md 6). */
export type Injected = {
  rows?: (transport: UpstreamTransport, journal: FakeJournal) => RowReader
  chance?: (inner: Chance) => Chance
  /** Relay to page. */
  tamper?: (frame: LiveRelayFrame) => LiveRelayFrame
  /** Relay to Hermes and back: what really passes instead of this frame. */
  upstream?: (direction: 'in' | 'out', text: string) => string[]
  journal?: (inner: FakeJournal) => void
  ringBytes?: number
}

export const SESSION = 'draft:fault-world'
/** A conversation that is only looked at (I9). */
export const LOOKED_AT = '20260101_000000_abcdef'
const TICK_MS = 25
const DEEDS_MS_MAX = 60_000
/** An unanswered clarify lasts 300 s, and several may follow each other. */
const QUIET_MS_MAX = 2_400_000

export class FaultWorld {
  readonly clock: VirtualClock
  readonly host: PlayerHost
  readonly relay: RelayWorld
  readonly pages: PageWorld[]
  readonly looker: PageWorld
  readonly lookedAt: string
  readonly hand: UpstreamHand = { onFrame: () => 'pass', frozen: false, lost: 0 }
  readonly hits: { fault: Fault; phase: Phase }[] = []
  readonly sent = new Map<string, string>()
  readonly problems: string[] = []
  readonly #schedule: Schedule
  readonly #transports: FaultTransport[] = []
  #breaks: (Break & { armed: boolean })[]
  #idNext = 0
  #ringExtra = 0
  stops = 0
  hermesDeaths = 0
  relayDeaths = 0
  foreignDeeds = 0
  takeovers = 0
  /** Messages whose page was dead when they were to be written: nobody typed them. */
  readonly neverWritten = new Set<string>()
  #idleSinceMs: number | null = null

  constructor(schedule: Schedule, injected: Injected = {}) {
    this.#schedule = schedule
    this.clock = createVirtualClock()
    const base = createSeededChance(schedule.seed + 1)
    const chance = injected.chance ? injected.chance(base) : base
    this.host = createPlayerHost({ clock: this.clock, chance: createSeededChance(schedule.seed + 2) })
    this.lookedAt = this.host.seedSession({ title: 'Only looked at', storedId: LOOKED_AT, rows: [{ role: 'user', content: 'old question' }, { role: 'assistant', content: 'old answer', finish_reason: 'stop' }] as never })
    this.relay = new RelayWorld({
      clock: this.clock, chance, host: this.host, ...(injected.rows ? { rows: (transport) => injected.rows?.(transport, this.relay.journal) as RowReader } : {}),
      wrap: (inner) => {
        const transport = createFaultTransport(inner, this.hand, injected.upstream)
        this.#transports.push(transport)
        return transport
      },
    })
    injected.journal?.(this.relay.journal)
    this.#ringExtra = injected.ringBytes ?? 0
    const tamper = injected.tamper ? { tamper: injected.tamper } : {}
    this.pages = Array.from({ length: schedule.pages }, (_, n) => new PageWorld({ clock: this.clock, relay: this.relay, deviceName: `device-${n}`, session: SESSION, ...tamper }))
    this.looker = new PageWorld({ clock: this.clock, relay: this.relay, deviceName: 'looker', session: this.lookedAt })
    this.#breaks = schedule.breaks.map((b) => ({ ...b, armed: false }))
    this.hand.onFrame = () => {
      this.#arm()
      return this.#atFrame('upstream_cut') ? 'cut' : 'pass'
    }
  }

  async run(): Promise<void> {
    await this.relay.start()
    await this.clock.advance(100)
    for (const page of [...this.pages, this.looker]) page.wake()
    await this.clock.advance(100)
    for (const { afterMs, deed } of this.#schedule.deeds) {
      await this.#pass(afterMs)
      this.#do(deed)
    }
    await this.#pass(DEEDS_MS_MAX / 4)
    await this.#heal()
    for (let waited = 0; waited < QUIET_MS_MAX && !this.#isQuiet(); waited += 1_000) {
      await this.clock.advance(1_000)
      for (const page of this.pages) if (page.view.held) page.say('live.queue.release', {})
    }
    await this.clock.advance(15_000)
  }

  get lease(): Lease | null { return this.relay.isUp ? this.relay.registry.find(SESSION, null) : null }

  get phase(): Phase {
    const view = this.lease?.view
    if (!view) return 'idle'
    if (view.messages.some((m) => m.state === 'sending')) return 'submitting'
    if (view.asks.some((a) => a.state === 'open' || a.state === 'overdue')) return 'asking'
    const { turn } = view
    if (turn && turn.phase !== 'ended') {
      if (view.messages.some((m) => m.state === 'queued')) return 'queued'
      if (turn.phase === 'waiting') return 'waiting'
      return turn.blocks.some((b) => b.kind === 'tool' && b.state === 'running') ? 'tool' : 'streaming'
    }
    return view.messages.some((m) => m.state === 'queued') ? 'queued' : 'idle'
  }

  async #pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      await this.clock.advance(TICK_MS)
      this.#arm()
      this.#atFrame(null)
      this.#watch()
    }
  }

  #arm(): void {
    const { phase } = this
    for (const b of this.#breaks) if (b.phase === phase) b.armed = true
  }

  /** True when the frame that passes now is to be cut with its socket. */
  #atFrame(kind: 'upstream_cut' | null): boolean {
    let cut = false
    for (const b of this.#breaks.filter((one) => one.armed)) {
      if (b.frames > 0) {
        b.frames -= 1
        continue
      }
      if (b.fault === 'upstream_cut' && kind !== 'upstream_cut') continue
      this.#breaks = this.#breaks.filter((one) => one !== b)
      this.hits.push({ fault: b.fault, phase: b.phase })
      if (b.fault === 'upstream_cut') cut = true
      else this.#break(b)
    }
    return cut
  }

  #break(b: Break): void {
    const page = this.pages[b.page] as PageWorld
    const later = (heal: () => void): void => void this.clock.setTimer(heal, b.healMs)
    switch (b.fault) {
      case 'page_cut': return page.cut()
      case 'page_freeze':
        page.freeze()
        return later(() => page.thaw())
      case 'page_kill':
        page.die()
        return later(() => page.wake())
      case 'relay_kill':
        this.#killRelay()
        return later(() => void this.relay.start())
      case 'upstream_freeze':
        this.hand.frozen = true
        return later(() => this.#thawUpstream())
      case 'hermes_kill':
        this.hermesDeaths += 1
        this.host.kill()
        return later(() => this.host.restart())
      case 'upstream_cut': return
    }
  }

  #killRelay(): void {
    if (!this.relay.isUp) return
    this.relayDeaths += 1
    this.relay.kill()
    for (const page of [...this.pages, this.looker]) page.cut()
  }

  #thawUpstream(): void {
    this.hand.frozen = false
    for (const transport of this.#transports) transport.thaw()
  }

  #do(deed: Deed): void {
    const page = 'page' in deed ? (this.pages[deed.page] as PageWorld) : null
    const view = page?.view
    switch (deed.kind) {
      case 'send': {
        const clientMsgId = `message-${this.#schedule.seed}-${this.#idNext++}`
        this.sent.set(clientMsgId, deed.text)
        if (!page?.write(deed.text, clientMsgId)) this.neverWritten.add(clientMsgId)
        return
      }
      case 'stop':
        this.stops += 1
        return page?.say('live.stop', {})
      case 'answer': {
        const ask = view?.asks.find((a) => a.state === 'open' || a.state === 'overdue')
        const choice = ask?.choices[deed.pick % Math.max(1, ask.choices.length)]
        if (ask && choice) page?.say('live.answer', { ask_id: ask.askId, answer: { kind: 'choice', choice } })
        return
      }
      case 'remove': {
        const queued = view?.messages.find((m) => m.state === 'queued')
        return queued ? page?.say('live.queue.remove', { client_msg_id: queued.clientMsgId }) : undefined
      }
      case 'release': return page?.say('live.queue.release', {})
      case 'takeover':
        this.takeovers += 1
        return page?.say('live.takeover', {})
      case 'foreign': {
        const stored = this.lease?.view.storedId
        if (stored && this.host.foreignSubmit(stored, deed.text)) this.foreignDeeds += 1
      }
    }
  }

  async #heal(): Promise<void> {
    this.#breaks = []
    this.#thawUpstream()
    if (!this.host.isUp) this.host.restart()
    await this.relay.start()
    for (const page of [...this.pages, this.looker]) {
      page.thaw()
      page.wake()
    }
  }

  /** I12: a turn is not shown as running long after Hermes said idle, while the line was up. */
  #watch(): void {
    const { lease } = this
    const stored = lease?.view.storedId
    const hermesRuns = stored ? this.host.live().some((l) => l.storedId === stored && l.running) : false
    if (!lease?.isRunning || hermesRuns || lease.view.link === 'down' || this.hand.frozen) this.#idleSinceMs = null
    else this.#idleSinceMs ??= this.clock.now()
    if (this.#idleSinceMs !== null && this.clock.now() - this.#idleSinceMs > 30_000) {
      this.problems.push('I12: shown as running 30 s after Hermes was idle')
      this.#idleSinceMs = null
    }
    if (lease && lease.ringBytes + this.#ringExtra > RING_BYTES_MAX + STUB_BYTES_MAX) this.problems.push('I11: the ring grew beyond its bound')
  }

  #isQuiet(): boolean {
    const { lease } = this
    this.#watch()
    return lease !== null && this.pages.every((p) => p.isLive && p.unsent === 0) && !lease.isRunning && lease.activity === null && this.host.live().every((l) => !l.running)
  }
}
