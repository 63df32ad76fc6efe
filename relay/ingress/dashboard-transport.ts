/** A real Hermes dashboard as `UpstreamTransport`: credential applied, renewed once when refused, everything bounded. */
import { WebSocket } from 'ws'
import type { Clock } from '#relay/clock/clock.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamSocket, UpstreamSocketEvents, UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { DashboardCredential, type DashboardSecrets } from './dashboard-credential.ts'
import { createSendHttp, type HttpAnswer } from './send-http.ts'

/** Longest answer when the caller names none, in bytes. */
export const DEFAULT_BYTES_MAX = 32 * 1_024 * 1_024
/** Longest gateway frame, in bytes. */
export const GATEWAY_FRAME_BYTES_MAX = 64 * 1_024 * 1_024
const HANDSHAKE_WITHIN_MS = 10_000
/** A gateway socket that answers no ping for this long is dead, in ms. */
export const GATEWAY_PING_EVERY_MS = 30_000

export type DashboardOptions = { baseUrl: string; secrets: DashboardSecrets; clock: Clock }

export function createDashboardTransport({ baseUrl, secrets, clock }: DashboardOptions): UpstreamTransport {
  const base = baseUrl.replace(/\/+$/, '')
  const send = createSendHttp(base)
  const credential = new DashboardCredential(secrets, send, clock)
  const sockets = new Set<WebSocket>()

  async function once(request: UpstreamRequest): Promise<HttpAnswer> {
    const headers = await credential.headers()
    const answer = await send({ method: request.method, path: request.path, headers, timeoutMs: request.timeoutMs, bytesMax: request.bytesMax ?? DEFAULT_BYTES_MAX, ...(request.body !== undefined && { body: request.body }) })
    credential.learn(answer)
    return answer
  }

  return {
    kind: 'dashboard',
    isDemo: false,
    async request(request) {
      const generation = credential.generation
      const first = await once(request)
      if (!isSignIn(first)) return passOn(first)
      await credential.renew(generation)
      return passOn(await once(request))
    },
    openGateway(events) {
      const gateway = new GatewaySocket(events, clock, sockets)
      /** A refused handshake may only mean that Hermes was restarted: the credential is renewed and the socket tried once more. */
      const attempt = async (isLast: boolean): Promise<void> => {
        const { generation } = credential
        const found = await credential.socketQuery()
        if (found.kind !== 'query') return gateway.fail(found.reason, found.kind === 'unreachable' ? null : found.kind)
        gateway.connect(`${base.replace(/^http/, 'ws')}/api/ws?${found.query}`, isLast ? null : () => void credential.renew(generation).then(() => attempt(true)))
      }
      void attempt(false)
      return gateway
    },
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** 401, or an API call that ends at the sign-in page (contract dashboard.md 2.2). */
function isSignIn(answer: HttpAnswer): boolean {
  if (answer.kind !== 'answer') return false
  if (answer.status === 401) return true
  if (answer.status >= 300 && answer.status < 400) return true
  return answer.status === 200 && /html/i.test(answer.contentType)
}

function passOn(answer: HttpAnswer): UpstreamAnswer {
  if (answer.kind !== 'answer') return answer
  if (isSignIn(answer)) return { kind: 'sign_in', reason: answer.status === 401 ? 'Hermes refused the credential of the relay.' : 'Hermes shows its sign-in page.' }
  const { status, contentType, body, retryAfterS } = answer
  return { kind: 'answer', status, contentType, body, retryAfterS }
}

/** One socket of the gateway. `onClose` is told exactly once, whatever happens first. */
class GatewaySocket implements UpstreamSocket {
  readonly #events: UpstreamSocketEvents
  readonly #clock: Clock
  readonly #all: Set<WebSocket>
  #socket: WebSocket | null = null
  #isDone = false
  #pingTimer: object | null = null
  #isAnswered = true

  constructor(events: UpstreamSocketEvents, clock: Clock, all: Set<WebSocket>) {
    this.#events = events
    this.#clock = clock
    this.#all = all
  }

  /** `onRefused` takes over a refused handshake; without it the refusal is the end. */
  connect(url: string, onRefused: (() => void) | null): void {
    if (this.#isDone) return
    // No Origin: a program has none, and the dashboard would compare it with its Host.
    const socket = new WebSocket(url, { perMessageDeflate: false, followRedirects: false, handshakeTimeout: HANDSHAKE_WITHIN_MS, maxPayload: GATEWAY_FRAME_BYTES_MAX })
    this.#socket = socket
    this.#all.add(socket)
    socket.on('open', () => {
      this.#ping()
      this.#events.onOpen()
    })
    socket.on('pong', () => { this.#isAnswered = true })
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary && !this.#isDone) this.#events.onFrame(data.toString())
    })
    socket.on('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      response.resume()
      request.destroy()
      this.#all.delete(socket)
      if ((status === 401 || status === 403) && onRefused) {
        this.#socket = null
        onRefused()
      } else this.fail(`Hermes answers ${status}.`, status === 401 || status === 403 ? 'sign_in' : status === 404 ? 'unsupported' : status === 429 ? 'rate_limited' : null)
    })
    socket.on('error', () => {}) // `close` follows.
    socket.on('close', (code, reason) => {
      if (this.#socket === socket) this.#done({ code, reason: reason.toString().slice(0, 200), refusal: code === 4401 ? 'sign_in' : null })
    })
  }

  fail(reason: string, refusal: 'sign_in' | 'unsupported' | 'rate_limited' | null): void {
    this.#done({ code: null, reason, refusal })
  }
  send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
  }
  close(): void {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) this.#socket.close(1000)
    this.#done({ code: 1000, reason: 'closed', refusal: null })
  }

  #ping(): void {
    if (this.#isDone || !this.#socket) return
    if (!this.#isAnswered) return this.#socket.terminate()
    this.#isAnswered = false
    this.#socket.ping()
    this.#pingTimer = this.#clock.setTimer(() => this.#ping(), GATEWAY_PING_EVERY_MS)
  }

  #done(info: Parameters<UpstreamSocketEvents['onClose']>[0]): void {
    if (this.#isDone) return
    this.#isDone = true
    if (this.#pingTimer) this.#clock.clearTimer(this.#pingTimer)
    if (this.#socket) this.#all.delete(this.#socket)
    this.#events.onClose(info)
  }
}
