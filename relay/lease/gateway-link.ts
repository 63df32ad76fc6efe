/**
 * The line to one Hermes: one main socket that owns sessions, one side socket for safe reads, so that a slow read never delays
 * a stop or an answer (lease.md 2). Reconnects by itself; says when the line is up, with a generation that counts sockets.
 */
import type { GatewayFrame } from '#protocol/gateway/gateway-frame.ts'
import { jitterMs } from '#protocol/backoff/backoff.ts'
import type { Chance, Clock, TimerHandle } from '../clock/clock.ts'
import { type CloseInfo, type RpcOutcome, RpcSocket } from './rpc-socket.ts'
import type { UpstreamTransport } from './upstream-transport.ts'

/** Ladder of the official desktop client (contract gateway.md 2.1): doubling from the base to the cap, full jitter. */
export const BACKOFF_BASE_MS = 300
export const BACKOFF_CAP_MS = 15_000
/** A line that stayed up this long starts the ladder anew. */
export const STABLE_MS = 5_000
/** Pause after a refusal that only a person can mend, in ms. */
export const REFUSED_PAUSE_MS = 30_000
/** A rate-limited door is left alone this long, in ms (contract gateway.md 1.4). */
export const RATE_LIMITED_PAUSE_MS = 300_000
/** Limit of an ordinary call, in ms (contract gateway.md 14). */
export const CALL_MS = 15_000
/** A silent main socket must answer a probe within this time, or it is given up, in ms. */
export const PROBE_MS = 5_000

export type LinkState = { kind: 'up'; gen: number } | { kind: 'down'; refusal: CloseInfo['refusal'] }

export type LinkListener = {
  onState(state: LinkState): void
  onEvent(event: Extract<GatewayFrame, { kind: 'event' }>): void
  onRequest(request: Extract<GatewayFrame, { kind: 'request' }>): void
}

/** A live session of Hermes, from `session.active_list`; reading it moves nothing. */
export type ActiveSession = { liveId: string; storedId: string; status: string; messageCount: number | null; lastActive: number | null; title: string }

export class GatewayLink {
  readonly #transport: UpstreamTransport
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #listener: LinkListener
  #main: RpcSocket | null = null
  #side: RpcSocket | null = null
  #sideReady: Promise<boolean> | null = null
  #gen = 0
  #attempt = 0
  #retry: TimerHandle | null = null
  #stable: TimerHandle | null = null
  #state: LinkState = { kind: 'down', refusal: null }
  #closed = false
  #reading: Promise<ActiveSession[] | null> | null = null
  #nextReading: Promise<ActiveSession[] | null> | null = null

  constructor(deps: { transport: UpstreamTransport; clock: Clock; chance: Chance }, listener: LinkListener) {
    this.#transport = deps.transport
    this.#clock = deps.clock
    this.#chance = deps.chance
    this.#listener = listener
  }

  get state(): LinkState {
    return this.#state
  }

  open(): void {
    if (this.#closed || this.#main) return
    if (this.#retry) this.#clock.clearTimer(this.#retry)
    this.#retry = null
    const gen = ++this.#gen
    this.#main = new RpcSocket(this.#transport, this.#clock, {
      onReady: () => this.#onUp(gen),
      onEvent: (event) => this.#listener.onEvent(event),
      onRequest: (request) => this.#listener.onRequest(request),
      onClose: (info) => this.#onDown(gen, info),
    })
  }

  close(): void {
    this.#closed = true
    for (const timer of [this.#retry, this.#stable]) if (timer) this.#clock.clearTimer(timer)
    this.#main?.drop()
    this.#side?.drop()
  }

  /** A call on the socket that owns sessions. `lost` when the line is down. */
  call(method: string, params: Record<string, unknown>, timeoutMs = CALL_MS): Promise<RpcOutcome> {
    return this.#main?.call(method, params, timeoutMs) ?? Promise.resolve({ kind: 'lost' })
  }

  respond(rpcId: string, result: Record<string, unknown>): boolean {
    return this.#main?.respond(rpcId, result) ?? false
  }

  /**
   * The live sessions of Hermes; `null` when they could not be read. One read at a time: questions asked while one is on its
   * way share the next one, so that no answer is older than its question.
   */
  active(via: 'side' | 'main' = 'side'): Promise<ActiveSession[] | null> {
    if (via === 'main') return this.call('session.active_list', {}, PROBE_MS).then(toActive)
    if (!this.#reading) {
      this.#reading = this.#readActive().finally(() => {
        this.#reading = null
      })
      return this.#reading
    }
    this.#nextReading ??= this.#reading.then(() => {
      this.#nextReading = null
      return this.active()
    })
    return this.#nextReading
  }

  async #readActive(): Promise<ActiveSession[] | null> {
    const outcome = (await this.#openSide()) && this.#side ? await this.#side.call('session.active_list', {}, CALL_MS) : await this.call('session.active_list', {})
    return toActive(outcome)
  }

  /** The side socket is opened when it is first needed; without it the main one serves. */
  #openSide(): Promise<boolean> {
    if (this.#side?.isReady) return Promise.resolve(true)
    if (this.#closed || this.#state.kind === 'down') return Promise.resolve(false)
    this.#sideReady ??= new Promise((resolve) => {
      const side = new RpcSocket(this.#transport, this.#clock, {
        onReady: () => resolve(true),
        onEvent: () => {},
        onRequest: () => {},
        onClose: () => {
          if (this.#side === side) this.#side = null
          this.#sideReady = null
          resolve(false)
        },
      })
      this.#side = side
    })
    return this.#sideReady
  }

  #onUp(gen: number): void {
    if (gen !== this.#gen) return
    this.#state = { kind: 'up', gen }
    this.#stable = this.#clock.setTimer(() => {
      this.#attempt = 0
    }, STABLE_MS)
    this.#listener.onState(this.#state)
  }

  #onDown(gen: number, info: CloseInfo): void {
    if (gen !== this.#gen) return
    this.#main = null
    this.#side?.drop()
    if (this.#stable) this.#clock.clearTimer(this.#stable)
    const wasUp = this.#state.kind === 'up'
    this.#state = { kind: 'down', refusal: info.refusal }
    if (!this.#closed) this.#retry = this.#clock.setTimer(() => this.open(), this.#pauseMs(info, wasUp))
    this.#listener.onState(this.#state)
  }

  /** A line that was up is tried again at once; after that the ladder. */
  #pauseMs(info: CloseInfo, wasUp: boolean): number {
    if (info.refusal === 'rate_limited') return RATE_LIMITED_PAUSE_MS
    if (info.refusal !== null) return REFUSED_PAUSE_MS
    const capMs = Math.min(BACKOFF_BASE_MS * 2 ** this.#attempt, BACKOFF_CAP_MS)
    this.#attempt = Math.min(this.#attempt + 1, 16)
    return wasUp && this.#attempt === 1 ? jitterMs(this.#chance.unit(), 100) : jitterMs(this.#chance.unit(), capMs)
  }
}

function toActive(outcome: RpcOutcome): ActiveSession[] | null {
  if (outcome.kind !== 'ok') return null
  const list = outcome.result['sessions']
  if (!Array.isArray(list)) return null
  return list.flatMap((raw: unknown) => {
    if (typeof raw !== 'object' || raw === null) return []
    const row = raw as Record<string, unknown>
    if (typeof row['id'] !== 'string') return []
    const num = (value: unknown) => (typeof value === 'number' ? value : null)
    return [{
      liveId: row['id'], storedId: typeof row['session_key'] === 'string' ? row['session_key'] : '', status: typeof row['status'] === 'string' ? row['status'] : '',
      messageCount: num(row['message_count']), lastActive: num(row['last_active']), title: typeof row['title'] === 'string' ? row['title'] : '',
    }]
  })
}
