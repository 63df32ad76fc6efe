/** All sockets of the relay: takes upgraded requests, keeps the limits, drops the dead, closes a revoked device's sockets at once. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { FRAME_BYTES_MAX } from '#protocol/envelope/envelope.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import { CLOSE } from '#protocol/system/system-frame.ts'
import type { Auth, Peer } from '#relay/auth/auth.ts'
import { isLoopback } from '#relay/auth/peer-address.ts'
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { Channel } from './channel.ts'
import { BLOCKED_ANSWER_MS, type RelayFacts, SocketSession } from './socket-session.ts'

export const SOCKETS_MAX = 64
export const SOCKETS_PER_DEVICE_MAX = 16
/** Sockets that have not said `auth` yet. */
export const WAITING_SOCKETS_MAX = 32
/** Of these, from one address; this machine may use them all. */
export const WAITING_PER_ADDRESS_MAX = 8
export const HEARTBEAT_MS = 30_000
/** No answer to a heartbeat for this long: the socket is dead, in ms. */
export const SILENCE_MS_MAX = 45_000
/** Sockets that do not say goodbye within this time are cut at shutdown, in ms. */
const GOODBYE_MS = 300

export interface Hub {
  /** `null` when the socket was taken; otherwise the caller answers the upgrade with this refusal. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): RefusalCode | null
  readonly socketCount: number
  /** A `system` frame for everybody who is signed in. */
  tell(type: string, payload: object): void
  close(): Promise<void>
}

export type HubParts = {
  auth: Auth; channels: readonly Channel[]; clock: Clock; chance: Chance; facts(): RelayFacts; onMistake(error: unknown): void; queueBytesMax?: number
}

export function createHub({ auth, channels, clock, chance, facts, onMistake, queueBytesMax }: HubParts): Hub {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: FRAME_BYTES_MAX })
  const sessions = new Set<SocketSession>()
  /** Places of guessers from blocked addresses, until their penalty ends, whether they still wait for it or not. */
  const penalties = new Map<SocketSession, object>()
  let onEmpty = () => {}
  let closing = false
  const ready = () => [...sessions].filter((session) => session.isReady)

  const waiting = () => [...new Set([...sessions, ...penalties.keys()])].filter((session) => !session.isReady)
  /** Among whom the newcomer must make room: those of its address, or all; `null` when there is room. */
  function crowdOf(address: string): SocketSession[] | null {
    const all = waiting()
    const neighbours = all.filter((session) => session.address === address)
    if (!isLoopback(address) && neighbours.length >= WAITING_PER_ADDRESS_MAX) return neighbours
    return all.length >= WAITING_SOCKETS_MAX ? all : null
  }
  const oldestIdle = (crowd: readonly SocketSession[]) => crowd.find((session) => session.isIdle && !penalties.has(session))

  const parts = {
    auth, channels, clock, facts, onMistake, ...(queueBytesMax !== undefined && { queueBytesMax }),
    admit: (_session: SocketSession, deviceId: string): RefusalCode | null => {
      const open = ready()
      const isFull = open.length >= SOCKETS_MAX || open.filter((session) => session.deviceId === deviceId).length >= SOCKETS_PER_DEVICE_MAX
      return closing || isFull ? 'too_many_sockets' : null
    },
    onBlocked: (session: SocketSession) => {
      if (!closing) penalties.set(session, clock.setTimer(() => penalties.delete(session), BLOCKED_ANSWER_MS))
    },
    onClosed: (session: SocketSession) => {
      sessions.delete(session)
      if (sessions.size === 0) onEmpty()
    },
  }

  auth.onRevoked((deviceId) => {
    for (const session of ready()) if (session.deviceId === deviceId) session.close(CLOSE.revoked)
  })

  function beat(): void {
    for (const session of ready()) {
      if (clock.now() - session.writer.answeredAtMs > SILENCE_MS_MAX) session.drop()
      else session.writer.probe()
    }
    heartbeat = clock.setTimer(beat, HEARTBEAT_MS)
  }
  let heartbeat = clock.setTimer(beat, HEARTBEAT_MS)

  return {
    accept(request, socket, head, peer) {
      const crowd = crowdOf(peer.address)
      const oldest = crowd && oldestIdle(crowd)
      if (closing || (crowd && !oldest)) return 'too_many_sockets'
      server.handleUpgrade(request, socket, head, (webSocket) => {
        if (oldest) {
          sessions.delete(oldest) // At once: the next newcomer must not count on its place again.
          oldest.drop()
        }
        sessions.add(new SocketSession(webSocket, chance.uuid(), peer, parts))
      })
      return null
    },
    tell(type, payload) {
      for (const session of ready()) session.tell(type, payload)
    },
    get socketCount() {
      return ready().length
    },
    async close() {
      closing = true
      clock.clearTimer(heartbeat)
      for (const timer of penalties.values()) clock.clearTimer(timer)
      penalties.clear()
      if (sessions.size === 0) return
      const gone = new Promise<void>((resolve) => { onEmpty = resolve })
      for (const session of sessions) session.close(CLOSE.shutdown)
      const cut = setTimeout(() => {
        for (const session of sessions) session.drop()
      }, GOODBYE_MS)
      await gone
      clearTimeout(cut)
    },
  }
}
