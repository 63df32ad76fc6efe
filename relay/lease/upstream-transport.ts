/**
 * How the relay reaches one Hermes: REST requests and gateway sockets, credentials already applied (decision D2). The real
 * dashboard, the built-in player and the fault world implement it; the lease and the ingress know nothing else of upstream.
 */

export type UpstreamRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the dashboard's base, with query: `/api/sessions?limit=20`. */
  path: string
  /** JSON text, or nothing. */
  body?: string
  timeoutMs: number
  /** Longest answer that is read, in bytes. */
  bytesMax?: number
}

export type UpstreamAnswer =
  | { kind: 'answer'; status: number; contentType: string; body: string; retryAfterS: number | null }
  /** Nothing came back: refused, cut, timed out. */
  | { kind: 'unreachable'; reason: string }
  /** The dashboard is gated and our credential is missing or refused. */
  | { kind: 'sign_in'; reason: string }
  | { kind: 'too_large' }

export interface UpstreamSocket {
  /** Sends one text frame. Silently without effect once the socket is closed; `onClose` tells. */
  send(text: string): void
  close(): void
}

export interface UpstreamSocketEvents {
  onOpen(): void
  onFrame(text: string): void
  /** Exactly once, also when the socket never opened. `refusal` when the handshake was refused for a reason we can name. */
  onClose(info: { code: number | null; reason: string; refusal: 'sign_in' | 'unsupported' | 'rate_limited' | null }): void
}

export interface UpstreamTransport {
  readonly kind: 'embedded' | 'dashboard'
  /** A script answers, no mind: the page says so above every chat. */
  readonly isDemo: boolean
  request(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** Opens `/api/ws`. A fresh ticket is fetched where needed; nothing may be sent before `gateway.ready`. */
  openGateway(events: UpstreamSocketEvents): UpstreamSocket
  close(): void
}
