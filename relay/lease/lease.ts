/**
 * The lease of one conversation as a running thing: one mailbox, inputs one after another; effects in their order, a write
 * before what it announces. A write that fails stops what follows it. All rules are in lease-core.ts.
 */
import { MERGE_MS, type NewChatOptions } from '#protocol/live/live-frame.ts'
import { type LiveView, stepView } from '#protocol/live/live-view.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import type { Clock, TimerHandle } from '../clock/clock.ts'
import { DeltaHold, isDelta } from './delta-hold.ts'
import { EventStream } from './event-stream.ts'
import type { GatewayLink } from './gateway-link.ts'
import type { Journal } from './journal.ts'
import { stepLease } from './lease-core.ts'
import { isRunning, openAsks } from './lease-draft.ts'
import type { LeaseEffect, LeaseInput, LeaseState, TimerName } from './lease-state.ts'
import type { RowReader } from './row-reader.ts'
import { storeRefusal } from '../store/database.ts'

export type LeaseDeps = { link: GatewayLink; rows: RowReader; journal: Journal; clock: Clock; onChange: (lease: Lease) => void; onLog: (line: string, facts: Record<string, unknown>) => void }

/** A page that follows. `name` is the session id that it knows: a draft's page keeps the draft's name. */
export type Subscriber = { name: string; event(seq: number, n: number, json: string): void }

export type Settled = { refusal: RefusalCode | null; detail?: Record<string, unknown> }

/** Inputs that may wait in one mailbox; events of Hermes beyond it are dropped, and the turn is marked as having a gap. */
export const MAILBOX_MAX = 50_000

export class Lease {
  readonly key: string
  readonly epoch: string
  readonly #deps: LeaseDeps
  readonly #stream: EventStream
  readonly #words = new DeltaHold((input) => this.#receive(input))
  readonly #subscribers = new Set<Subscriber>()
  readonly #timers = new Map<TimerName, TimerHandle>()
  readonly #commands = new Map<number, (settled: Settled) => void>()
  #state: LeaseState
  #inbox: LeaseInput[] = []
  #next = 0
  #working = false
  #changed = false
  #flush: TimerHandle | null = null
  #cmdNext = 1
  #ended = false
  #flooded = false
  /** While a write is waited for: the fold of what was numbered so far. Whoever subscribes then gets this, and the rest as events. */
  #shown: LiveView | null = null
  #changedAtMs: number

  constructor(state: LeaseState, deps: LeaseDeps) {
    this.key = state.key
    this.epoch = state.epoch
    this.#deps = deps
    this.#state = state
    this.#changedAtMs = deps.clock.now()
    this.#stream = new EventStream(
      ({ seq, n, json }) => { for (const subscriber of this.#subscribers) subscriber.event(seq, n, json) },
      (seq) => `/relay/live/events/${encodeURIComponent(this.epoch)}/${seq}`,
    )
  }

  get view(): LiveView { return this.#state.view }
  get liveId(): string | null { return this.#state.liveId }
  get ringBytes(): number { return this.#stream.bytes }
  get subscriberCount(): number { return this.#subscribers.size }
  get options(): NewChatOptions | null { return this.#state.options }
  get profile(): string | null { return this.#state.profile }
  get unknownFacts(): number { return this.#state.unknownFacts }
  /** Since when nothing has been going on here; null while something is (lease.md 5: such a lease never ends by itself). */
  get quietSinceMs(): number | null {
    const { state } = this.#facts()
    return state === 'quiet' ? this.#changedAtMs : null
  }
  get isRunning(): boolean { return isRunning(this.#state) }

  /** What the list of conversations marks. */
  get activity(): 'running' | 'asking' | 'queued' | 'elsewhere' | null {
    const { state } = this.#facts()
    return state === 'quiet' ? null : state
  }

  #facts(): { state: 'running' | 'asking' | 'queued' | 'elsewhere' | 'quiet' } {
    if (openAsks(this.#state).some((ask) => ask.view.state !== 'answering')) return { state: 'asking' }
    if (isRunning(this.#state)) return { state: 'running' }
    if (this.#state.messages.some((m) => !['confirmed', 'steered', 'failed', 'unconfirmed'].includes(m.state))) return { state: 'queued' }
    return { state: this.#state.view.owner === 'elsewhere' ? 'elsewhere' : 'quiet' }
  }

  /** Something happened. Order is kept; nothing is dropped but for a flood beyond the mailbox. */
  post(input: LeaseInput): void {
    if (!this.#ended && !this.#words.take(input)) this.#receive(input)
  }

  #receive(input: LeaseInput): void {
    if (this.#ended) return
    if (this.#inbox.length - this.#next >= MAILBOX_MAX) {
      if (!this.#flooded) this.#deps.onLog('lease mailbox is full', { key: this.key })
      this.#flooded = true
      if (input.kind === 'fact') return // Answers and commands are bounded by who waits for them.
    }
    this.#inbox.push(input)
    if (!this.#working) this.#work()
  }

  /** A command of a device: resolves when the lease took it, or says why not. */
  command(make: (cmd: number) => LeaseInput): Promise<Settled> {
    if (this.#ended) return Promise.resolve({ refusal: 'upstream_unreachable' })
    const cmd = this.#cmdNext++
    return new Promise((resolve) => {
      this.#commands.set(cmd, resolve)
      this.post(make(cmd))
    })
  }

  /** Follows from here on. Whoever subscribes gets, in the same moment, either what it lacks or the whole view. */
  subscribe(subscriber: Subscriber, epoch: string | null, after: number | null): { kind: 'events'; events: readonly string[] } | { kind: 'snapshot'; seq: number; view: LiveView } {
    this.#words.release()
    this.#stream.flush()
    this.#subscribers.add(subscriber)
    this.post({ kind: 'subscribers_changed', count: this.#subscribers.size })
    if (epoch === this.epoch && after !== null) {
      const missed = this.#stream.after(after)
      if (missed.kind === 'events') return { kind: 'events', events: missed.entries }
    }
    return { kind: 'snapshot', seq: this.#stream.seq, view: this.#shown ?? this.#state.view }
  }

  unsubscribe(subscriber: Subscriber): void {
    if (this.#subscribers.delete(subscriber)) this.post({ kind: 'subscribers_changed', count: this.#subscribers.size })
  }

  /** The text of an event that travelled as a stub. */
  largeEvent(seq: number): string | null { return this.#stream.large(seq) }

  /** Lets go of the ring under memory pressure: returning pages get snapshots. */
  forgetRing(): void { this.#stream.forget() }

  /** Ends without touching Hermes: a running turn runs on (detach is not cancel). */
  end(): void {
    this.#ended = true
    for (const timer of this.#timers.values()) this.#deps.clock.clearTimer(timer)
    if (this.#flush) this.#deps.clock.clearTimer(this.#flush)
    this.#timers.clear()
    for (const resolve of this.#commands.values()) resolve({ refusal: 'upstream_unreachable' })
    this.#commands.clear()
  }

  /** Works through the mailbox; stays synchronous until something must be written, and goes on after that. */
  #work(): void {
    this.#working = true
    while (this.#next < this.#inbox.length && !this.#ended) {
      const pending = this.#take(this.#inbox[this.#next++] as LeaseInput)
      if (pending) return void pending.finally(() => {
        this.#shown = null
        this.#work()
      })
    }
    this.#inbox = []
    this.#next = 0
    this.#working = false
    if (this.#flooded) {
      this.#flooded = false
      return this.post({ kind: 'flooded' })
    }
    if (this.#ended || !this.#changed) return
    this.#changed = false
    this.#deps.onChange(this)
  }

  /** One step. Answers a promise only when something had to be written: streaming text stays synchronous. */
  #take(input: LeaseInput): Promise<void> | null {
    const before = this.#state
    const stepped = stepLease(before, input, this.#deps.clock.now())
    this.#state = stepped.state
    if (!isDelta(input)) this.#changed = true
    if (input.kind !== 'timer_fired' && input.kind !== 'status_read') this.#changedAtMs = this.#deps.clock.now()
    const { effects } = stepped
    for (let at = 0; at < effects.length; at += 1) {
      const effect = effects[at] as LeaseEffect
      if (isWrite(effect)) {
        this.#shown = effects.slice(0, at).reduce((view, done) => (done.kind === 'emit' ? stepView(view, done.event) : view), before.view)
        return this.#carryOutSlowly(effects.slice(at), at === 0 && 'cmd' in input ? (code) => this.#takeBack(before, input.cmd, code) : null)
      }
      this.#carryOut(effect)
    }
    return null
  }

  /** `takeBack`: how a command is undone whose very first effect is a write that failed. */
  async #carryOutSlowly(effects: readonly LeaseEffect[], takeBack: ((code: RefusalCode) => void) | null): Promise<void> {
    let failed: RefusalCode | null = null
    let unsent: number | null = null
    for (const [at, effect] of effects.entries()) {
      if (this.#ended) return
      // What this write announced must not happen; everything else goes on, or the lease and its devices would part.
      if (failed && effect.kind === 'rpc' && effect.method === 'prompt.submit') unsent = effect.op
      else if (!isWrite(effect)) this.#carryOut(effect, true)
      else {
        const code = await this.#write(effect).then(() => null, (error: unknown) => storeRefusal(error).code)
        if (code) this.#deps.onLog('journal write failed', { key: this.key, code })
        if (code && at === 0 && takeBack) return takeBack(code)
        failed ??= code
      }
    }
    if (failed) this.#inbox.splice(this.#next, 0, { kind: 'store_failed', code: failed, unsent })
  }

  /** The command is refused as if it had never been given. */
  #takeBack(before: LeaseState, cmd: number, refusal: RefusalCode): void {
    this.#state = before
    this.#commands.get(cmd)?.({ refusal })
    this.#commands.delete(cmd)
  }

  #write(effect: WriteEffect): Promise<void> {
    const { journal, clock } = this.#deps
    switch (effect.kind) {
      case 'save_message': return journal.saveMessage(effect.message)
      case 'save_session': return journal.saveSession(effect.session, clock.now())
      case 'save_ask': return journal.saveAsk(effect.ask)
      case 'save_outcome': return journal.saveOutcome(this.key, effect.outcome)
    }
  }

  #carryOut(effect: Exclude<LeaseEffect, WriteEffect>, isSlow = false): void {
    const { link, rows, clock } = this.#deps
    switch (effect.kind) {
      case 'rpc':
        void link.call(effect.method, effect.params, CALLS_MS[effect.method]).then((outcome) => this.post({ kind: 'rpc_done', op: effect.op, outcome }))
        return
      case 'respond': {
        const sent = link.respond(effect.rpcId, effect.result)
        return this.post({ kind: 'rpc_done', op: effect.op, outcome: sent ? { kind: 'ok', result: {} } : { kind: 'lost' } })
      }
      case 'read_status': return this.#readStatus(effect.op, effect.via)
      case 'read_rows':
        void rows.read(this.#state.view.storedId ?? '', this.#state.profile, effect.after).then((read) => this.post({ kind: 'rows_read', op: effect.op, read }))
        return
      case 'timer': return this.#setTimer(effect.name, effect.delayMs)
      case 'clear_timer': return this.#clearTimer(effect.name)
      case 'emit':
        if (isSlow && this.#shown) this.#shown = stepView(this.#shown, effect.event)
        if (this.#stream.push(effect.event)) this.#flush ??= clock.setTimer(() => this.#flushNow(), MERGE_MS)
        return
      case 'settle':
        this.#commands.get(effect.cmd)?.({ refusal: effect.refusal, ...(effect.detail ? { detail: effect.detail } : {}) })
        this.#commands.delete(effect.cmd)
        return
    }
  }

  #readStatus(op: number, via: 'side' | 'main'): void {
    void this.#deps.link.active(via).then((list) => {
      const { liveId, view } = this.#state
      const active = list?.find((row) => row.liveId === liveId) ?? list?.find((row) => row.storedId !== '' && row.storedId === view.storedId) ?? null
      this.post({ kind: 'status_read', op, active, failed: list === null })
    })
  }

  #setTimer(name: TimerName, delayMs: number): void {
    this.#clearTimer(name)
    this.#timers.set(name, this.#deps.clock.setTimer(() => {
      this.#timers.delete(name)
      this.post({ kind: 'timer_fired', name })
    }, delayMs))
  }

  #clearTimer(name: TimerName): void {
    const timer = this.#timers.get(name)
    if (timer) this.#deps.clock.clearTimer(timer)
    this.#timers.delete(name)
  }

  #flushNow(): void {
    this.#flush = null
    this.#stream.flush()
  }
}

/**
 * Calls that may take longer than others, in ms: the ack of a submit as long as Hermes needs to build its agent (gateway.md 5.1),
 * create and resume as long as a slow disk. A call that runs out takes its socket with it, so these are generous.
 */
const CALLS_MS: Readonly<Record<string, number>> = { 'prompt.submit': 1_800_000, 'session.create': 120_000, 'session.resume': 120_000 }

type WriteEffect = Extract<LeaseEffect, { kind: 'save_message' | 'save_session' | 'save_ask' | 'save_outcome' }>
const isWrite = (effect: LeaseEffect): effect is WriteEffect => effect.kind.startsWith('save_')
