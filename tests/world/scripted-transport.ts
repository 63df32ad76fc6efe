/** An upstream whose every frame is said by the test: sockets in the order they were opened, what was sent on each. */
import type { UpstreamAnswer, UpstreamSocketEvents, UpstreamTransport } from '#relay/lease/upstream-transport.ts'

type Refusal = Parameters<UpstreamSocketEvents['onClose']>[0]['refusal']
export type ScriptedSocket = {
  sent: { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown }[]
  closed: boolean
  /** Raw text from Hermes. */
  text(raw: string): void
  frame(frame: Record<string, unknown>): void
  ready(): void
  /** Answers the last call of this method. */
  answer(method: string, result: Record<string, unknown>): void
  die(refusal?: Refusal): void
}
export type ScriptedTransport = UpstreamTransport & { sockets: ScriptedSocket[]; answerRest: (path: string) => UpstreamAnswer }

export function createScriptedTransport(): ScriptedTransport {
  const sockets: ScriptedSocket[] = []
  const transport: ScriptedTransport = {
    kind: 'dashboard', isDemo: false, sockets,
    answerRest: () => ({ kind: 'unreachable', reason: 'nobody is there' }),
    request: ({ path }) => Promise.resolve(transport.answerRest(path)),
    close: () => undefined,
    openGateway(events) {
      const end = (code: number | null, refusal: Refusal): void => {
        if (socket.closed) return
        socket.closed = true
        events.onClose({ code, reason: '', refusal })
      }
      const socket: ScriptedSocket = {
        sent: [], closed: false,
        text: (raw) => events.onFrame(raw),
        frame: (frame) => events.onFrame(JSON.stringify({ jsonrpc: '2.0', ...frame })),
        ready: () => socket.frame({ method: 'event', params: { type: 'gateway.ready', payload: { skin: {} } } }),
        answer: (method, result) => socket.frame({ id: socket.sent.findLast((f) => f.method === method)?.id, result }),
        die: (refusal = null) => end(null, refusal),
      }
      sockets.push(socket)
      return { send: (text) => { if (!socket.closed) socket.sent.push(JSON.parse(text) as ScriptedSocket['sent'][number]) }, close: () => end(1000, null) }
    },
  }
  return transport
}
