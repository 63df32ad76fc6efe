/** The agent as a host: sockets of the gateway, requests of the dashboard, its beginning and its end. */
import { FRAME_BYTES_MAX, readFrame } from '../gateway-read.ts'
import type { HostSocket, InProcessHost, RestAnswer } from '../in-process-transport.ts'
import type { Json } from '../player-core.ts'
import { AgentCore, type AgentParts } from './agent-core.ts'
import { answerRest } from './agent-rest.ts'
import { answerRpc } from './agent-rpc.ts'
import { orphan } from './agent-sessions.ts'
import { keepWhatWas } from './agent-turn.ts'

export class AgentHost implements InProcessHost {
  readonly #core: AgentCore

  constructor(parts: AgentParts) {
    this.#core = new AgentCore(parts)
    parts.repo.closeCutTurns(parts.clock.now())
  }

  get isUp(): boolean { return this.#core.isUp }

  connect(onFrame: (text: string) => void, onClose: (code: number | null) => void): HostSocket {
    const core = this.#core
    const id = core.socketIdNext++
    if (!core.isUp) {
      core.clock.setTimer(() => onClose(null), 0)
      return { send: () => undefined, close: () => undefined }
    }
    core.sockets.set(id, { id, onFrame, onClose })
    core.schedule(() => core.sendEvent(id, 'gateway.ready', null, { skin: { name: 'default', branding: { agent_name: 'Built-in agent' } } }), 0)
    return { send: (text) => this.#receive(id, text), close: () => this.#close(id, 1000) }
  }

  request(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    return answerRest(this.#core, method, path, body)
  }

  /** Turns end here and now: what they said is kept, their commands are killed, nothing is told. */
  close(): void {
    const core = this.#core
    if (!core.isUp) return
    for (const live of core.lives.values()) {
      const { run } = live
      if (!run) continue
      live.run = null
      live.socketId = null
      keepWhatWas(core, live, run, 'error')
      run.controller.abort()
      try {
        core.repo.endTurn(live.session.storedId)
      } catch {
        // The next start closes the turn.
      }
    }
    core.isUp = false
    core.cancelAll()
    core.lives.clear()
    for (const socketId of [...core.sockets.keys()]) this.#close(socketId, null)
  }

  #receive(socketId: number, text: string): void {
    const core = this.#core
    if (!core.sockets.has(socketId)) return
    if (Buffer.byteLength(text) > FRAME_BYTES_MAX) return this.#close(socketId, 1009)
    const frame = readFrame(text)
    // In the order of their arrival, and never inside the sender's own call.
    core.schedule(() => {
      if ('failure' in frame) core.sendFrame(socketId, { jsonrpc: '2.0', ...frame.failure })
      else if (frame.raw['method'] !== undefined) void this.#run(socketId, frame.raw)
    }, 0)
  }

  async #run(socketId: number, raw: Json): Promise<void> {
    const core = this.#core
    const answer = await answerRpc(core, socketId, String(raw['method']), (raw['params'] ?? {}) as Json)
    core.sendFrame(socketId, { jsonrpc: '2.0', id: raw['id'] ?? null, ...answer })
  }

  #close(socketId: number, code: number | null): void {
    const core = this.#core
    const socket = core.sockets.get(socketId)
    if (!socket) return
    core.sockets.delete(socketId)
    orphan(core, socketId)
    core.clock.setTimer(() => socket.onClose(code), 0)
  }
}
