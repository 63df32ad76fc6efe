/** A host in our own process as an upstream: in memory, asynchronous, without a socket or a timer of its own. */
import type { Clock } from '#relay/clock/clock.ts'
import type { UpstreamAnswer, UpstreamSocket, UpstreamSocketEvents, UpstreamTransport } from '#relay/lease/upstream-transport.ts'

/** How long a REST request takes at least, in ms. */
const REST_MS = 2

export type HostSocket = { send(text: string): void; close(): void }
export type RestAnswer = { status: number; body: unknown }
export type InProcessHost = {
  readonly isUp: boolean
  /** `onClose` comes exactly once, `null` when the line was cut. */
  connect(onFrame: (text: string) => void, onClose: (code: number | null) => void): HostSocket
  request(method: string, path: string, body?: unknown): RestAnswer | Promise<RestAnswer>
}

/** `onClose` runs after the sockets were closed. */
export function createInProcessTransport({ clock, host, isDemo, onClose }: { clock: Clock; host: InProcessHost; isDemo: boolean; onClose(): void }): UpstreamTransport {
  const open = new Set<UpstreamSocket>()
  let closed = false
  return {
    kind: 'embedded',
    isDemo,
    request: (request) => new Promise((resolve) => {
      const down: UpstreamAnswer = { kind: 'unreachable', reason: 'the host is down' }
      const late = clock.setTimer(() => resolve({ kind: 'unreachable', reason: 'no answer in time' }), request.timeoutMs)
      const tell = (answer: UpstreamAnswer): void => {
        clock.clearTimer(late)
        resolve(answer)
      }
      const ask = async (): Promise<void> => {
        if (closed || !host.isUp) return tell(down)
        const answer = host.request(request.method, request.path, parseBody(request.body))
        tell(toAnswer('then' in answer ? await answer : answer, request.bytesMax))
      }
      clock.setTimer(() => { ask().catch(() => tell(down)) }, Math.min(REST_MS, request.timeoutMs))
    }),
    openGateway(events) {
      const socket = openSocket(clock, host, events, () => open.delete(socket))
      open.add(socket)
      return socket
    },
    close() {
      closed = true
      for (const socket of open) socket.close()
      onClose()
    },
  }
}

function toAnswer({ status, body }: RestAnswer, bytesMax: number | undefined): UpstreamAnswer {
  const text = JSON.stringify(body)
  if (bytesMax !== undefined && Buffer.byteLength(text) > bytesMax) return { kind: 'too_large' }
  return { kind: 'answer', status, contentType: 'application/json', body: text, retryAfterS: null }
}

/** `onOpen` comes before the first frame, `onClose` exactly once, also when the host is down. */
function openSocket(clock: Clock, host: InProcessHost, events: UpstreamSocketEvents, onGone: () => void): UpstreamSocket {
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
