/** The real dashboard transport, watched: what goes out is counted, its sockets can be cut or made to lose one call. */
import { systemClock } from '#relay/clock/clock.ts'
import type { DashboardSecrets } from '#relay/ingress/dashboard-credential.ts'
import { createDashboardTransport } from '#relay/ingress/dashboard-transport.ts'
import type { UpstreamSocket, UpstreamTransport } from '#relay/lease/upstream-transport.ts'

export type Call = { method: string; params: Record<string, unknown> }
/** `before`: the call never leaves; `after`: it leaves, its answer never comes. The socket is cut either way. */
export type LossPlan = { method: string; when: 'before' | 'after' }

/** Time for bytes that were written to be read on the other side, in ms. */
const FLIGHT_MS = 50

export class WatchedTransport implements UpstreamTransport {
  readonly kind = 'dashboard' as const
  readonly isDemo = false
  readonly calls: Call[] = []
  readonly requests: { method: string; path: string }[] = []
  readonly refusals: string[] = []
  sockets = 0
  readonly #inner: UpstreamTransport
  #plan: LossPlan | null = null
  #silenced = false
  #dead = false

  constructor(baseUrl: string, secrets: DashboardSecrets) {
    this.#inner = createDashboardTransport({ baseUrl, secrets, clock: systemClock })
  }

  count(...methods: string[]): number { return this.calls.filter((call) => methods.includes(call.method)).length }

  /** The next call of this method is lost, with the socket that carried it. */
  loseNext(plan: LossPlan): void { this.#plan = plan }

  /** Every socket dies at once, without a close frame. */
  cut(): void { this.#inner.close() }

  request(request: Parameters<UpstreamTransport['request']>[0]) {
    this.requests.push({ method: request.method, path: request.path })
    return this.#inner.request(request)
  }

  openGateway(events: Parameters<UpstreamTransport['openGateway']>[0]): UpstreamSocket {
    this.sockets += 1
    const socket = this.#inner.openGateway({
      onOpen: () => { if (!this.#dead) events.onOpen() },
      onFrame: (text) => { if (!this.#dead && !this.#silenced) events.onFrame(text) },
      onClose: (info) => {
        if (info.refusal) this.refusals.push(info.refusal)
        if (!this.#dead) events.onClose(info)
      },
    })
    return {
      send: (text) => {
        if (this.#dead) return
        const { method, params } = JSON.parse(text) as Call
        this.calls.push({ method, params })
        if (this.#plan?.method !== method) return socket.send(text)
        if (this.#plan.when === 'after') socket.send(text)
        this.#plan = null
        this.#silenced = true
        setTimeout(() => {
          this.cut()
          this.#silenced = false
        }, FLIGHT_MS)
      },
      close: () => socket.close(),
    }
  }

  /** As if the process of the relay were gone: sockets die, and nothing of it is heard any more. */
  die(): void {
    this.#dead = true
    this.#inner.close()
  }
  close(): void { this.#inner.close() }
}
