/**
 * One socket from its first byte to its last: `auth` within 30 s, then frames to channels. After `auth.ok` no frame closes the socket;
 * a lost session does, at once.
 */
import type { WebSocket } from 'ws'
import { type Envelope, parseEnvelope } from '#protocol/envelope/envelope.ts'
import { Refused, type RefusalCode, refusalBody } from '#protocol/refusal/refusal.ts'
import { AUTH_WITHIN_MS, type AuthOk, CLOSE, PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { type Auth, isGranted, type Peer, type Principal, type Welcome } from '#relay/auth/auth.ts'
import type { Clock } from '#relay/clock/clock.ts'
import { CHANNEL_PRIORITY, type Channel, type ChannelHandle, type ChannelRefusal, type ChannelSession } from './channel.ts'
import { AUTH_REASON, authFail, closeFor, envelopeText, parseFirstFrame } from './handshake.ts'
import { Inbox } from './inbox.ts'
import { createSocketWriter, type SocketWriter } from './socket-writer.ts'

/** A blocked address waits this long for its answer and holds its place meanwhile, so guessing stays slow, in ms. */
export const BLOCKED_ANSWER_MS = 1_000

/** Not a failure: the page reconnects and its refresh token brings a new session. */
export const SESSION_EXPIRED = { code: 1000, reason: 'session_expired' } as const

export type RelayFacts = Pick<AuthOk, 'server_version' | 'host_name' | 'hermes'>

export type SocketParts = {
  auth: Auth
  channels: readonly Channel[]
  clock: Clock
  facts(): RelayFacts
  /** The hub's word on its own limits, asked when the credential is already valid. */
  admit(session: SocketSession, deviceId: string): RefusalCode | null
  /** The peer's address is blocked: its place stays taken for BLOCKED_ANSWER_MS, even when it hangs up. */
  onBlocked(session: SocketSession): void
  onClosed(session: SocketSession): void
  /** Our own mistakes, for the log; the error never carries a frame. */
  onMistake(error: unknown): void
  queueBytesMax?: number
}

export class SocketSession {
  readonly socketId: string
  readonly writer: SocketWriter
  readonly #socket: WebSocket
  readonly #peer: Peer
  readonly #parts: SocketParts
  readonly #inbox: Inbox
  readonly #open = new Map<string, { channel: Channel; handle: ChannelHandle }>()
  #state: 'waiting' | 'checking' | 'ready' | 'closed' = 'waiting'
  #principal: Principal | null = null
  #authTimer: object | null

  constructor(socket: WebSocket, socketId: string, peer: Peer, parts: SocketParts) {
    this.socketId = socketId
    this.#socket = socket
    this.#peer = peer
    this.#parts = parts
    this.writer = createSocketWriter(socket, parts.clock, parts.queueBytesMax)
    this.#inbox = new Inbox(socket)
    this.#authTimer = parts.clock.setTimer(() => this.#fail(undefined, AUTH_REASON.timeout, 'auth_required', CLOSE.auth_failed), AUTH_WITHIN_MS)
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary))
    socket.on('close', () => this.#onClose())
    socket.on('error', () => {}) // `close` follows; the reason is the peer's own doing.
  }

  get deviceId(): string | null {
    return this.#principal?.deviceId ?? null
  }
  get isReady(): boolean {
    return this.#state === 'ready'
  }

  get address(): string {
    return this.#peer.address
  }
  /** Said nothing yet, or got its refusal already: nothing is lost when it goes. */
  get isIdle(): boolean {
    return this.#state === 'waiting' || this.#state === 'closed'
  }

  close({ code, reason }: { code: number; reason: string }): void {
    this.writer.stop()
    this.#socket.close(code, reason)
  }
  tell(type: string, payload: object): void {
    this.#sendSystem(type, payload)
  }
  drop(): void {
    this.#socket.terminate()
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#state === 'waiting') {
      this.#state = 'checking'
      this.#socket.pause() // Whatever follows waits for the verdict.
      const first = isBinary ? ({ kind: 'fail', id: undefined, reason: AUTH_REASON.format, code: 'frame_malformed', close: CLOSE.auth_failed } as const) : parseFirstFrame(data.toString())
      if (first.kind === 'fail') this.#fail(first.id, first.reason, first.code, first.close)
      else this.#check(first).catch((error: unknown) => this.#onCheckFailed(first.id, error))
      return
    }
    if (this.#state !== 'ready' || isBinary) return // Before the verdict: dropped; the contract asks clients to hold back.
    const envelope = parseEnvelope(data.toString())
    if (!envelope) this.#sendSystem('error', { message: 'Malformed frame' })
    else this.#route(envelope)
  }

  async #check({ id, payload, speaks }: Extract<ReturnType<typeof parseFirstFrame>, { kind: 'auth' }>): Promise<void> {
    const { auth, clock } = this.#parts
    const outcome = await auth.authenticate(payload, this.#peer)
    if (outcome.kind === 'refused' && outcome.code === 'rate_limited') this.#parts.onBlocked(this)
    if (this.#state !== 'checking') return
    if (outcome.kind === 'refused') {
      const refuse = () => this.#fail(id, AUTH_REASON.credential, outcome.code, closeFor(outcome.code))
      if (outcome.code === 'rate_limited') clock.setTimer(refuse, BLOCKED_ANSWER_MS)
      else refuse()
      return
    }
    const limit = this.#parts.admit(this, outcome.principal.deviceId)
    if (limit) this.#fail(id, AUTH_REASON.credential, limit, closeFor(limit))
    else this.#welcome(id, outcome, payload.supports, speaks)
  }

  #welcome(id: string | undefined, welcome: Welcome, supports: Readonly<Record<string, unknown>>, speaks: 'ours' | 'contract'): void {
    this.#principal = welcome.principal
    this.#state = 'ready'
    this.#clearAuthTimer()
    this.#sendSystem('auth.ok', authOk(welcome, this.#parts.facts()), id)
    this.writer.probe()
    if (speaks === 'ours') this.#openChannels(supports)
    this.#socket.resume()
  }

  #onCheckFailed(id: string | undefined, error: unknown): void {
    this.#parts.onMistake(error)
    const code = error instanceof Refused ? error.code : 'internal'
    if (this.#state === 'checking') this.#fail(id, AUTH_REASON.credential, code, { code: 1011, reason: code })
  }

  #fail(id: string | undefined, reason: string, code: RefusalCode, close: { code: number; reason: string }): void {
    if (this.#state === 'closed' || this.#state === 'ready') return
    this.#state = 'closed'
    this.#clearAuthTimer()
    this.#sendSystem('auth.fail', authFail(reason, code), id)
    this.close(close)
    this.#socket.resume() // Else the peer's close frame would never be read.
  }

  #openChannels(supports: Readonly<Record<string, unknown>>): void {
    for (const channel of this.#parts.channels) {
      if (!supports[channel.name]) continue
      const session = this.#channelSession(channel, supports)
      try {
        this.#open.set(channel.name, { channel, handle: channel.open(session) })
      } catch (error) {
        this.#parts.onMistake(error)
      }
    }
  }

  #channelSession(channel: Channel, supports: Readonly<Record<string, unknown>>): ChannelSession {
    const { socketId, writer } = this
    const principal = this.#principal as Principal
    const priority = CHANNEL_PRIORITY[channel.name] ?? 3
    const hasGrant: ChannelSession['hasGrant'] = (grant) => this.#principal !== null && isGranted(this.#principal, grant, this.#parts.clock.now())
    return {
      socketId, supports, hasGrant, deviceId: principal.deviceId, deviceName: principal.deviceName,
      send: (type, payloadJson, id) => {
        if (this.#state === 'ready' && hasGrant(channel.grant)) writer.push(priority, envelopeText(channel.name, type, payloadJson, id))
      },
    }
  }

  #route(frame: Envelope): void {
    const opened = this.#open.get(frame.channel)
    if (frame.channel === 'system') this.#inbox.add('system', () => this.#guarded(frame, async () => this.#onSystem(frame)))
    else if (!opened) this.#sendSystem('error', { message: `Unknown channel: ${frame.channel}` }, frame.id)
    else this.#inbox.add(frame.channel, () => this.#guarded(frame, async (principal) => {
      const isAllowed = isGranted(principal, opened.channel.grant, this.#parts.clock.now())
      const refusal = isAllowed ? await opened.handle.onFrame(frame) : { code: 'grant_missing' as const, detail: { grant: opened.channel.grant } }
      if (refusal) this.#refuse(frame, refusal)
    }))
  }

  /** The session is read again before every frame; nothing that goes wrong in a frame reaches the socket. */
  async #guarded(frame: Envelope, work: (principal: Principal) => Promise<void>): Promise<void> {
    if (this.#state !== 'ready' || !this.#principal) return
    try {
      const principal = await this.#parts.auth.principal(this.#principal.credentialId)
      if ('kind' in principal) this.close(principal.code === 'session_revoked' ? CLOSE.revoked : SESSION_EXPIRED)
      else {
        this.#principal = { ...principal, deviceName: this.#principal.deviceName }
        await work(principal)
      }
    } catch (error) {
      this.#parts.onMistake(error)
      this.#refuse(frame, error instanceof Refused ? { code: error.code, detail: error.detail } : { code: 'internal' })
    }
  }

  #onSystem({ type, id, payload }: Envelope): void {
    if (type === 'ping') this.#sendSystem('pong', { ts: typeof payload.ts === 'number' ? payload.ts : this.#parts.clock.now() / 1_000 }, id)
    else if (type !== 'pong') this.#sendSystem('error', { message: 'Unknown system message' }, id)
  }

  #refuse(frame: Envelope, { code, detail }: ChannelRefusal): void {
    const word = (name: string) => (typeof frame.payload[name] === 'string' ? frame.payload[name] : null)
    const payload = { ...refusalBody(code, detail), session: word('session'), client_msg_id: word('client_msg_id'), ask_id: word('ask_id') }
    this.writer.push(CHANNEL_PRIORITY[frame.channel] ?? 3, envelopeText(frame.channel, `${frame.channel}.refused`, JSON.stringify(payload), frame.id))
  }

  #sendSystem(type: string, payload: object, id?: string): void {
    this.writer.push(0, envelopeText('system', type, JSON.stringify(payload), id))
  }

  #clearAuthTimer(): void {
    if (this.#authTimer) this.#parts.clock.clearTimer(this.#authTimer)
    this.#authTimer = null
  }

  #onClose(): void {
    this.#state = 'closed'
    this.#clearAuthTimer()
    this.writer.stop()
    for (const { handle } of this.#open.values()) {
      try {
        handle.onClose()
      } catch (error) {
        this.#parts.onMistake(error)
      }
    }
    this.#open.clear()
    this.#parts.onClosed(this)
  }
}

function authOk({ principal, sessionToken, refreshToken }: Welcome, facts: RelayFacts): AuthOk {
  return {
    session_token: sessionToken, ...(refreshToken !== null && { refresh_token: refreshToken }), ...facts, protocol: PROTOCOL_VERSION, expires_at: principal.expiresAtMs / 1_000,
    grants: Object.fromEntries(Object.entries(principal.grants).map(([grant, expiresAtMs]) => [grant, expiresAtMs / 1_000])),
    device_id: principal.deviceId, device_name: principal.deviceName, profiles: [],
  }
}
