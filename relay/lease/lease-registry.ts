/**
 * All leases of one connection: finds the lease of a conversation under each of its names, passes upstream's events to it,
 * brings back what was unfinished when the relay starts, and lets go of what is quiet (lease.md 2, 5).
 */
import { MESSAGE_BYTES_MAX, type NewChatOptions, QUEUE_MAX } from '#protocol/live/live-frame.ts'
import type { MessageState } from '#protocol/live/live-view.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import { ASK_WAIT_S, askFromGateway } from '#protocol/turn/ask.ts'
import { wellFormed } from '#protocol/turn/same-prompt.ts'
import { fromGatewayEvent } from '#protocol/turn/from-gateway.ts'
import { text } from '#protocol/turn/payload.ts'
import type { GatewayFrame } from '#protocol/gateway/gateway-frame.ts'
import type { Chance, Clock, TimerHandle } from '../clock/clock.ts'
import { GatewayLink, type LinkState } from './gateway-link.ts'
import type { Journal, LoadedLease, StoredMessage } from './journal.ts'
import { SETTLED_KEPT_MS } from './journal.ts'
import { Lease } from './lease.ts'
import { initialLease, type LeaseInput, type LeaseState, restoreLease } from './lease-state.ts'
import { RowReader } from './row-reader.ts'
import { storeRefusal } from '../store/database.ts'
import type { UpstreamTransport } from './upstream-transport.ts'

/** Leases held at once; a quiet one without subscribers makes room. */
export const LEASES_MAX = 256
/** Ring bytes over all leases; beyond it the largest ring without subscribers is let go. */
export const RINGS_BYTES_MAX = 64 * 1_024 * 1_024
/** A lease with nothing going on ends after this long, in ms (lease.md 5). */
export const QUIET_MS = 30 * 60_000
const SWEEP_MS = 60_000
/** Events of live sessions whose lease is not known yet (their create is still unanswered), kept per live id. */
const EARLY_MAX = 64

export type RegistryDeps = {
  transport: UpstreamTransport; journal: Journal; clock: Clock; chance: Chance
  rows?: RowReader
  onActivity: () => void
  /** Somebody writes into this conversation: what was to be deleted is not. */
  onSubmit?: (name: string) => Promise<unknown>
  onLog: (line: string, facts: Record<string, unknown>) => void
}

export type Accepted = { kind: 'accepted'; state: MessageState; duplicate: boolean } | { kind: 'refused'; code: RefusalCode }
export type SubmitRequest = { session: string; profile: string | null; clientMsgId: string; text: string; deviceId: string; deviceName: string; options: NewChatOptions | null; steer: boolean; /** The failed turn that this one replaces. */ retryOf?: string }

export class LeaseRegistry {
  readonly link: GatewayLink
  readonly #deps: RegistryDeps
  readonly #rows: RowReader
  readonly #leases = new Map<string, Lease>()
  readonly #names = new Map<string, string>()
  readonly #opening = new Map<string, Promise<Lease | null>>()
  readonly #early = new Map<string, Extract<GatewayFrame, { kind: 'event' }>[]>()
  #sweep: TimerHandle | null = null
  #askWaitS: LeaseState['askWaitS'] = { ...ASK_WAIT_S }

  constructor(deps: RegistryDeps) {
    this.#deps = deps
    this.#rows = deps.rows ?? new RowReader(deps.transport)
    this.link = new GatewayLink(deps, { onState: (state) => this.#onState(state), onEvent: (event) => this.#onEvent(event), onRequest: (request) => this.#onRequest(request) })
  }

  get leases(): readonly Lease[] { return [...this.#leases.values()] }

  /** Opens the line and brings back every conversation with something unfinished. */
  async start(): Promise<void> {
    await this.#deps.journal.prune(this.#deps.clock.now() - SETTLED_KEPT_MS)
    for (const key of await this.#deps.journal.unfinished()) await this.open(key, null)
    this.link.open()
    this.#sweepLater()
  }

  /** Lets go of everything; running turns run on without the relay. */
  close(): void {
    if (this.#sweep) this.#deps.clock.clearTimer(this.#sweep)
    for (const lease of this.#leases.values()) lease.end()
    this.link.close()
  }

  /** The lease of this conversation under any of its names; made when there is none. Makes no call to Hermes (I9). Null: too many. */
  open(name: string, wanted: string | null): Promise<Lease | null> {
    const profile = ownProfile(wanted)
    const scoped = profile ? `${profile}/${name}` : name
    const known = this.find(name, profile)
    if (known) return Promise.resolve(known)
    const opening = this.#opening.get(scoped)
    if (opening) return opening
    const opened = this.#open(name, scoped, profile).finally(() => this.#opening.delete(scoped))
    this.#opening.set(scoped, opened)
    return opened
  }

  find(name: string, wanted: string | null): Lease | null {
    const profile = ownProfile(wanted)
    const scoped = profile ? `${profile}/${name}` : name
    return this.#leases.get(scoped) ?? this.#leases.get(this.#names.get(scoped) ?? '') ?? null
  }

  /** Writes the message down, then hands it to the lease. Refused means: nothing was kept, the page still has it (lease.md 4). */
  async submit(request: SubmitRequest): Promise<Accepted> {
    if (request.text.trim() === '') return { kind: 'refused', code: 'message_empty' }
    if (Buffer.byteLength(request.text) > MESSAGE_BYTES_MAX) return { kind: 'refused', code: 'message_too_long' }
    await this.#deps.onSubmit?.(request.session)
    const lease = await this.open(request.session, request.profile)
    if (!lease) return { kind: 'refused', code: 'lease_limit' }
    const waits = lease.view.messages.find((m) => m.clientMsgId === request.clientMsgId)
    if (waits) return { kind: 'accepted', state: waits.state, duplicate: true } // Also when the queue is full: it is in it.
    if (lease.view.messages.length >= QUEUE_MAX) return { kind: 'refused', code: 'queue_full' }
    const message: StoredMessage = {
      clientMsgId: request.clientMsgId, key: lease.key, deviceId: request.deviceId, deviceName: request.deviceName, text: wellFormed(request.text), state: request.steer ? 'steering' : 'queued',
      position: this.#deps.clock.now(), baselineRowId: null, rowId: null, resends: 0, reason: null, atMs: this.#deps.clock.now(),
    }
    try {
      await this.#deps.journal.saveSession({ key: lease.key, profile: lease.profile, storedId: lease.view.storedId, liveId: lease.liveId, running: lease.isRunning, held: lease.view.held, options: request.options ?? lease.options }, this.#deps.clock.now())
      const known = await this.#deps.journal.accept(message)
      if (known && known.key !== lease.key) return { kind: 'refused', code: 'message_id_taken' }
      if (known) return { kind: 'accepted', state: known.state === 'removed' ? 'failed' : known.state, duplicate: true }
    } catch (error) {
      return { kind: 'refused', code: storeRefusal(error).code }
    }
    if (this.#leases.get(lease.key) === lease) lease.post({ kind: 'message_accepted', message, options: request.options, ...(request.retryOf ? { retryOf: request.retryOf } : {}) })
    else await this.open(request.session, request.profile) // It made room meanwhile; the one that comes back has the message.
    return { kind: 'accepted', state: request.steer ? 'steering' : 'queued', duplicate: false }
  }

  /** Reads how long Hermes waits for an approval; deadlines of later questions follow it. Call it when the configuration changed. */
  async learnAskWait(): Promise<void> {
    const answer = await this.#deps.transport.request({ method: 'GET', path: '/api/config', timeoutMs: 10_000 })
    const approval = answer.kind === 'answer' && answer.status === 200 ? approvalWaitS(answer.body) : null
    if (approval === null || approval === this.#askWaitS.approval) return
    this.#askWaitS = { ...this.#askWaitS, approval }
    for (const lease of this.#leases.values()) lease.post({ kind: 'ask_wait_learned', askWaitS: { approval } })
  }

  largeEvent(epoch: string, seq: number): string | null {
    return this.leases.find((lease) => lease.epoch === epoch)?.largeEvent(seq) ?? null
  }

  async #open(name: string, scoped: string, profile: string | null): Promise<Lease | null> {
    const loaded = (await this.#deps.journal.load(scoped)) ?? (profile ? await this.#loadByName(name, profile) : null)
    const key = loaded?.session.key ?? scoped
    const existing = this.#leases.get(key)
    if (existing) return existing
    if (this.#leases.size >= LEASES_MAX && !this.#makeRoom()) return null
    const session = loaded ? loaded.session.key.slice(loaded.session.profile ? loaded.session.profile.length + 1 : 0) : name
    const fresh = initialLease(key, profile, session, this.#deps.chance.uuid(), this.#askWaitS)
    const lease = new Lease(loaded ? restoreLease(fresh, loaded) : fresh, {
      link: this.link, rows: this.#rows, journal: this.#deps.journal, clock: this.#deps.clock, onLog: this.#deps.onLog, onChange: (changed) => this.#onChange(changed),
    })
    this.#leases.set(key, lease)
    this.#onChange(lease)
    if (this.link.state.kind === 'up') lease.post({ kind: 'link_up', gen: this.link.state.gen })
    return lease
  }

  /** A conversation of a named profile by its stored id, which the journal keeps without the profile. */
  async #loadByName(name: string, profile: string): Promise<LoadedLease | null> {
    const loaded = await this.#deps.journal.load(name)
    return loaded?.session.profile === profile ? loaded : null
  }

  /** A lease learned a name, or began or ended something. */
  #onChange(lease: Lease): void {
    const { storedId } = lease.view
    if (storedId) this.#names.set(lease.profile ? `${lease.profile}/${storedId}` : storedId, lease.key)
    if (lease.liveId) this.#deliverEarly(lease, lease.liveId)
    this.#deps.onActivity()
  }

  /** Events that came before their lease knew its live id, in their order, before any later one. */
  #deliverEarly(lease: Lease, liveId: string): void {
    const early = this.#early.get(liveId)
    if (!early) return
    this.#early.delete(liveId)
    for (const event of early) this.#deliver(lease, event)
  }

  #onState(state: LinkState): void {
    this.#early.clear()
    const input: LeaseInput = state.kind === 'up' ? { kind: 'link_up', gen: state.gen } : { kind: 'link_down' }
    for (const lease of this.#leases.values()) lease.post(input)
    if (state.kind === 'up') void this.learnAskWait()
    this.#deps.onActivity()
  }

  /** Events of exactly one live id go to exactly one lease; events without an id go to none (contract gateway.md 7.5). */
  #onEvent(event: Extract<GatewayFrame, { kind: 'event' }>): void {
    if (event.type === 'session.reclaimed') {
      const liveId = event.liveId ?? text(event.payload, 'session_id')
      this.#leaseOf(liveId)?.post({ kind: 'fact', fact: fromGatewayEvent(event.type, event.payload) })
      return
    }
    if (event.type === 'request.cancel') return this.#onCancel(event)
    if (event.liveId === null) return
    const lease = this.#leaseOf(event.liveId)
    if (lease) {
      this.#deliverEarly(lease, event.liveId)
      return this.#deliver(lease, event)
    }
    const early = this.#early.get(event.liveId) ?? []
    if (this.#early.size < EARLY_MAX && early.length < EARLY_MAX) this.#early.set(event.liveId, [...early, event])
  }

  #leaseOf(liveId: string): Lease | undefined {
    for (const lease of this.#leases.values()) if (lease.liveId === liveId) return lease
    return undefined
  }

  #deliver(lease: Lease, event: Extract<GatewayFrame, { kind: 'event' }>): void {
    let fact: ReturnType<typeof fromGatewayEvent>
    try {
      fact = fromGatewayEvent(event.type, event.payload)
    } catch {
      fact = { kind: 'unknown' } // Nested beyond what can be written as text again; counted, never a crash.
    }
    lease.post({ kind: 'fact', fact })
  }

  #onRequest(request: Extract<GatewayFrame, { kind: 'request' }>): void {
    const lease = this.#leaseOf(text(request.params, 'session_id'))
    const first = Array.isArray(request.params['questions']) ? (request.params['questions'][0] as Record<string, unknown> | undefined) : undefined
    const ask = askFromGateway(`${request.method}.request`, { ...request.params, ...first, request_id: request.rpcId })
    if (!lease || !ask) return void this.link.respond(request.rpcId, request.method === 'approval' ? { choice: 'deny' } : { value: '' })
    const question = typeof first?.['qid'] === 'string' ? ` ${first['qid']}` : ''
    lease.post({ kind: 'request_raised', ask, rpcId: `${request.rpcId}${question}` })
  }

  #onCancel(event: Extract<GatewayFrame, { kind: 'event' }>): void {
    for (const lease of this.#leases.values()) lease.post({ kind: 'request_cancelled', rpcId: text(event.payload, 'id'), reason: text(event.payload, 'reason') })
  }

  #sweepLater(): void {
    this.#sweep = this.#deps.clock.setTimer(() => {
      this.#endQuiet(QUIET_MS)
      this.#trimRings()
      this.#sweepLater()
    }, SWEEP_MS)
  }

  #endQuiet(quietMs: number): boolean {
    let ended = false
    const nowMs = this.#deps.clock.now()
    for (const [key, lease] of this.#leases) {
      const since = lease.quietSinceMs
      if (lease.subscriberCount > 0 || since === null || nowMs - since < quietMs) continue
      lease.end()
      this.#leases.delete(key)
      for (const [name, target] of this.#names) if (target === key) this.#names.delete(name)
      ended = true
    }
    return ended
  }

  #makeRoom(): boolean {
    return this.#endQuiet(0)
  }

  #trimRings(): void {
    let bytes = 0
    for (const lease of [...this.#leases.values()].sort((a, b) => a.ringBytes - b.ringBytes)) {
      bytes += lease.ringBytes
      if (bytes > RINGS_BYTES_MAX) lease.forgetRing()
    }
  }
}

/** The default profile by name is the default profile: one conversation, one lease. */
const ownProfile = (profile: string | null): string | null => (profile === 'default' ? null : profile)

/** `approvals.timeout` of the dashboard's configuration, in s. */
function approvalWaitS(body: string): number | null {
  try {
    const tree = JSON.parse(body) as { approvals?: { timeout?: unknown }; config?: { approvals?: { timeout?: unknown } } }
    const timeout = (tree.config?.approvals ?? tree.approvals)?.timeout
    return typeof timeout === 'number' && timeout > 0 ? timeout : null
  } catch {
    return null
  }
}
