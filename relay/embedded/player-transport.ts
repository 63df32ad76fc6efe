/** The player as an upstream: in memory, asynchronous, without a socket or a timer of its own. */
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamSocket, UpstreamSocketEvents, UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { createPlayerHost, type PlayerHost } from './player-host.ts'

/** How long a REST request takes, in ms. */
const REST_MS = 2

export type PlayerTransport = UpstreamTransport & { readonly host: PlayerHost }

export function createPlayerTransport(deps: { clock: Clock; chance: Chance; host?: PlayerHost }): PlayerTransport {
  const { clock } = deps
  const host = deps.host ?? createPlayerHost(deps)
  const open = new Set<UpstreamSocket>()
  let closed = false

  const answer = (request: UpstreamRequest): UpstreamAnswer => {
    if (closed || !host.isUp) return { kind: 'unreachable', reason: 'the host is down' }
    const { status, body } = host.request(request.method, request.path, parseBody(request.body))
    const text = JSON.stringify(body)
    if (request.bytesMax !== undefined && Buffer.byteLength(text) > request.bytesMax) return { kind: 'too_large' }
    return { kind: 'answer', status, contentType: 'application/json', body: text, retryAfterS: null }
  }

  return {
    kind: 'embedded',
    isDemo: true,
    host,
    request: (request) => new Promise((resolve) => { clock.setTimer(() => resolve(answer(request)), Math.min(REST_MS, request.timeoutMs)) }),
    openGateway(events) {
      const socket = openSocket(clock, host, events, () => open.delete(socket))
      open.add(socket)
      return socket
    },
    close() {
      closed = true
      for (const socket of open) socket.close()
      if (!deps.host) host.kill() // Ours alone: its reap timers must not keep the process alive.
    },
  }
}

/** `onOpen` comes before the first frame, `onClose` exactly once, also when the host is down. */
function openSocket(clock: Clock, host: PlayerHost, events: UpstreamSocketEvents, onGone: () => void): UpstreamSocket {
  let opened = false
  let ended = false
  const end = (code: number | null): void => {
    if (ended) return
    ended = true
    onGone()
    events.onClose({ code, reason: code === null ? 'the line was cut' : '', refusal: null })
  }
  const line = host.connect((text) => {
    if (ended) return
    if (!opened) {
      opened = true
      events.onOpen()
    }
    events.onFrame(text)
  }, end)
  return {
    send: (text) => line.send(text),
    close() {
      line.close()
      if (!host.isUp) clock.setTimer(() => end(null), 0)
    },
  }
}

function parseBody(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
