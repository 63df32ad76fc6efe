/**
 * One gateway socket with its RPCs: ids, time limits, the answer of each call exactly once. Knows nothing of sessions.
 * A call that got no answer is `lost`: it may have been carried out (lease.md 4).
 */
import { type GatewayFrame, parseGatewayFrames } from '#protocol/gateway/gateway-frame.ts'
import type { Clock, TimerHandle } from '../clock/clock.ts'
import type { UpstreamSocket, UpstreamTransport } from './upstream-transport.ts'

export type RpcOutcome =
  | { kind: 'ok'; result: Record<string, unknown> }
  | { kind: 'error'; code: number; message: string }
  /** The socket died, or the time limit passed, before an answer came. */
  | { kind: 'lost' }

export type CloseInfo = { refusal: 'sign_in' | 'unsupported' | 'rate_limited' | null; wasReady: boolean }

/** Calls that may wait for an answer on one socket. */
export const CALLS_MAX = 512
/** Time to `gateway.ready`, in ms (contract gateway.md 14). */
export const READY_WITHIN_MS = 20_000

type Call = { resolve: (outcome: RpcOutcome) => void; timer: TimerHandle }

export type RpcSocketEvents = {
  onReady(): void
  onEvent(event: Extract<GatewayFrame, { kind: 'event' }>): void
  onRequest(request: Extract<GatewayFrame, { kind: 'request' }>): void
  onClose(info: CloseInfo): void
}

export class RpcSocket {
  readonly #clock: Clock
  readonly #events: RpcSocketEvents
  readonly #socket: UpstreamSocket
  readonly #calls = new Map<number, Call>()
  readonly #readyTimer: TimerHandle
  #idNext = 1
  #ready = false
  #closed = false

  constructor(transport: UpstreamTransport, clock: Clock, events: RpcSocketEvents) {
    this.#clock = clock
    this.#events = events
    this.#readyTimer = clock.setTimer(() => this.drop(), READY_WITHIN_MS)
    this.#socket = transport.openGateway({
      onOpen: () => {},
      onFrame: (text) => this.#onFrame(text),
      onClose: ({ refusal }) => this.#onClose(refusal),
    })
  }

  get isReady(): boolean {
    return this.#ready && !this.#closed
  }

  /** Calls a method; a socket that does not answer within the limit is dropped, since it cannot be trusted any more. */
  call(method: string, params: Record<string, unknown>, timeoutMs: number): Promise<RpcOutcome> {
    if (!this.isReady || this.#calls.size >= CALLS_MAX) return Promise.resolve({ kind: 'lost' })
    const rpcId = this.#idNext++
    return new Promise((resolve) => {
      this.#calls.set(rpcId, { resolve, timer: this.#clock.setTimer(() => this.drop(), timeoutMs) })
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: rpcId, method, params }))
    })
  }

  /** Answers a request of the server (generation B). False when the socket is gone. */
  respond(rpcId: string, result: Record<string, unknown>): boolean {
    if (!this.isReady) return false
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: rpcId, result }))
    return true
  }

  /** Closes the socket; every waiting call is lost. Safe to call twice. */
  drop(): void {
    if (this.#closed) return
    this.#socket.close()
    this.#onClose(null)
  }

  #onFrame(text: string): void {
    if (this.#closed) return
    for (const frame of parseGatewayFrames(text)) {
      if (frame.kind === 'response' || frame.kind === 'failure') this.#settle(frame)
      else if (frame.kind === 'request') this.#onRequest(frame)
      else if (frame.type === 'gateway.ready') this.#onReady()
      else if (this.#ready) this.#events.onEvent(frame)
    }
  }

  /** Declares that we answer server requests; a server of generation A refuses, which is fine (contract gateway.md 0). */
  #onReady(): void {
    if (this.#ready) return
    this.#ready = true
    this.#clock.clearTimer(this.#readyTimer)
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.#idNext++, method: 'client.capabilities', params: { server_requests: true } }))
    this.#events.onReady()
  }

  /** A request is never left unanswered: the agent waits for it (contract gateway.md 0, rule 2). */
  #onRequest(frame: Extract<GatewayFrame, { kind: 'request' }>): void {
    if (ANSWERABLE.has(frame.method)) return this.#events.onRequest(frame)
    const error = { code: -32601, message: `method not found: ${frame.method}` }
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: frame.rpcId, ...(frame.method === 'terminal.read' ? { result: { value: '' } } : { error }) }))
  }

  #settle(frame: Extract<GatewayFrame, { kind: 'response' | 'failure' }>): void {
    const call = typeof frame.rpcId === 'number' ? this.#calls.get(frame.rpcId) : undefined
    if (!call) return
    this.#calls.delete(frame.rpcId as number)
    this.#clock.clearTimer(call.timer)
    call.resolve(frame.kind === 'response' ? { kind: 'ok', result: frame.result } : { kind: 'error', code: frame.code, message: frame.message })
  }

  #onClose(refusal: CloseInfo['refusal']): void {
    if (this.#closed) return
    this.#closed = true
    this.#clock.clearTimer(this.#readyTimer)
    for (const call of this.#calls.values()) {
      this.#clock.clearTimer(call.timer)
      call.resolve({ kind: 'lost' })
    }
    this.#calls.clear()
    this.#events.onClose({ refusal, wasReady: this.#ready })
  }
}

const ANSWERABLE = new Set(['approval', 'clarify', 'sudo', 'secret'])
