/** The socket of one page to one relay: signs in, beats, reconnects, and says in which state it is. Carries frames, knows no channel. */
import { parseEnvelope, type Envelope } from '#protocol/envelope/envelope.ts'
import { type AuthFail, type AuthOk, CLOSE, HermesFacts, PING_EVERY_MS, PONG_WITHIN_MS, PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { initialReconnect, type ReconnectEffect, type ReconnectInput, stepReconnect } from '#web/core/reconnect/reconnect.ts'
import { nowMs, roll } from '#web/platform/clock.ts'
import { authFrame, CONNECT_WITHIN_MS, readAuth, socketUrl } from './auth-once.ts'
import type { Credentials } from './credentials.ts'

/** What the relay said about itself and us; tokens stay out of it. */
export type Welcome = Omit<AuthOk, 'session_token' | 'refresh_token'>
export type LinkState =
  | { kind: 'connecting'; attempt: number } | { kind: 'open'; welcome: Welcome } | { kind: 'waiting'; attempt: number; untilMs: number; limited: boolean }
  | { kind: 'signed_out'; fail: AuthFail | null } | { kind: 'outdated' } | { kind: 'off' }

export type RelaySocket = { start(): void; stop(): void; nudge(): void; send(envelope: Envelope): boolean }
export type RelaySocketDeps = { base: string; credentials: Credentials; onState(state: LinkState): void; onFrame(envelope: Envelope): void }

export function createRelaySocket({ base, credentials, onState, onFrame }: RelaySocketDeps): RelaySocket {
  let machine = initialReconnect
  let socket: WebSocket | null = null
  let generation = 0
  let waitTimer: ReturnType<typeof setTimeout> | undefined
  let pingTimer: ReturnType<typeof setTimeout> | undefined
  let deadTimer: ReturnType<typeof setTimeout> | undefined
  let welcome: Welcome | null = null
  let fail: AuthFail | null = null

  const give = (input: ReconnectInput): void => {
    const [next, ...effects] = stepReconnect(machine, input)
    const changed = next !== machine
    machine = next
    for (const effect of effects) carry(effect)
    if (changed) tell()
  }
  const carry = (effect: ReconnectEffect): void => {
    if (effect.kind === 'open') void open()
    else if (effect.kind === 'close') drop(1000)
    else if (effect.kind === 'wait') { clearTimeout(waitTimer); waitTimer = setTimeout(() => give({ kind: 'timer_fired' }), effect.ms) }
    else clearTimeout(waitTimer)
  }
  const tell = (): void => {
    if (machine.kind === 'open' && welcome) onState({ kind: 'open', welcome })
    else if (machine.kind === 'waiting') onState({ kind: 'waiting', attempt: machine.attempt, untilMs: nowMs() + machine.pauseMs, limited: machine.limited })
    else if (machine.kind === 'connecting') onState({ kind: 'connecting', attempt: machine.attempt })
    else if (machine.kind === 'ended') onState(machine.why === 'outdated' ? { kind: 'outdated' } : { kind: 'signed_out', fail })
    else onState({ kind: 'off' })
  }
  /** Forgets the socket first: what it still says or its close event must not count. */
  const drop = (code: number): void => {
    generation += 1
    clearTimeout(pingTimer)
    clearTimeout(deadTimer)
    const old = socket
    socket = null
    old?.close(code)
  }
  const lost = (code: number, chance = roll()): void => { drop(1000); give({ kind: 'lost', code, roll: chance }) }
  const beat = (): void => {
    pingTimer = setTimeout(() => {
      socket?.send(JSON.stringify({ channel: 'system', type: 'ping', payload: {} }))
      deadTimer = setTimeout(() => lost(1006), PONG_WITHIN_MS)
    }, PING_EVERY_MS)
  }

  async function open(): Promise<void> {
    const mine = ++generation
    const device = await credentials.read().catch(() => null)
    if (mine !== generation) return
    if (!device) return lost(CLOSE.auth_failed.code)
    const opened = new WebSocket(socketUrl(base))
    socket = opened
    deadTimer = setTimeout(() => lost(1006), CONNECT_WITHIN_MS)
    opened.onopen = () => opened.send(authFrame({ session_token: device.sessionToken, device_id: device.deviceId, device_name: device.deviceName }))
    opened.onclose = (event) => { if (mine === generation) lost(event.code) }
    opened.onmessage = (message) => { if (mine === generation) void hear(String(message.data), mine, device.sessionToken) }
  }

  async function hear(text: string, mine: number, usedToken: string): Promise<void> {
    if (machine.kind === 'open') {
      const envelope = parseEnvelope(text)
      if (envelope?.channel === 'system' && envelope.type === 'pong') { clearTimeout(deadTimer); clearTimeout(pingTimer); beat() }
      else if (envelope?.channel === 'system' && envelope.type === 'hermes') hearHermes(envelope.payload)
      else if (envelope) onFrame(envelope)
      return
    }
    const result = readAuth(text)
    if (!result || result.kind === 'unreachable') return
    clearTimeout(deadTimer)
    if (result.kind === 'ok') {
      if (result.auth.protocol !== PROTOCOL_VERSION) return lost(CLOSE.outdated.code)
      const { session_token: _session, refresh_token: _refresh, ...rest } = result.auth
      welcome = rest
      // In order: frames behind auth.ok may already wait, so the machine opens before anything is awaited.
      give({ kind: 'authenticated' })
      beat()
      await credentials.keep(result.auth).catch(() => undefined)
      return
    }
    fail = result.fail
    if (result.fail.code === 'client_outdated') return lost(CLOSE.outdated.code)
    if (result.fail.code === 'rate_limited') return lost(CLOSE.rate_limited.code)
    drop(1000)
    const held = generation
    const fresh = result.fail.code === 'session_revoked' ? result.fail : await credentials.rotate(usedToken)
    if (mine + 1 !== held || generation !== held) return
    if (fresh === 'unreachable') return give({ kind: 'lost', code: 1006, roll: roll() })
    if ('sessionToken' in fresh) return give({ kind: 'lost', code: 1006, roll: 0 })
    fail = fresh
    give({ kind: 'lost', code: CLOSE.auth_failed.code, roll: 0 })
  }

  /** Hermes came or went behind the relay. */
  function hearHermes(payload: unknown): void {
    const facts = HermesFacts.safeParse(payload)
    if (!facts.success || !welcome) return
    welcome = { ...welcome, hermes: facts.data }
    void credentials.learn(facts.data).catch(() => undefined)
    tell()
  }

  return {
    start: () => give({ kind: 'wanted' }),
    stop: () => give({ kind: 'unwanted' }),
    nudge: () => give({ kind: 'nudged' }),
    send(envelope) {
      if (machine.kind !== 'open' || socket?.readyState !== WebSocket.OPEN) return false
      socket.send(JSON.stringify(envelope))
      return true
    },
  }
}
