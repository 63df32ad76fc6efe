/** Another program on the host: its own raw socket to the dashboard, as the desktop app or the terminal would have. */
import { WebSocket } from 'ws'
import type { RealHermes } from './real-hermes.ts'

type Reply = { id?: number; result?: Record<string, unknown>; error?: { code: number; message: string } }
type Active = { id: string; session_key: string; status: string }

export class GatewayProgram {
  readonly #socket: WebSocket
  readonly #open: Promise<void>
  readonly #calls = new Map<number, (reply: Reply) => void>()
  #idNext = 1

  constructor(hermes: RealHermes) {
    const { wsUrl, token } = hermes.facts.dashboard
    this.#socket = new WebSocket(`${wsUrl}?token=${token}`)
    this.#open = new Promise((resolve, reject) => {
      this.#socket.on('open', () => resolve())
      this.#socket.on('error', reject)
    })
    this.#socket.on('message', (data: Buffer) => {
      const reply = JSON.parse(data.toString()) as Reply
      if (reply.id === undefined) return
      this.#calls.get(reply.id)?.(reply)
      this.#calls.delete(reply.id)
    })
  }

  async call(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.#open
    const id = this.#idNext++
    const reply = await new Promise<Reply>((resolve) => {
      this.#calls.set(id, resolve)
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
    if (reply.error) throw new Error(`${method}: ${reply.error.code} ${reply.error.message}`)
    return reply.result ?? {}
  }

  async #active(storedId: string): Promise<Active | undefined> {
    const { sessions } = (await this.call('session.active_list', {})) as unknown as { sessions: Active[] }
    return sessions.find((session) => session.session_key === storedId)
  }
  async statusOf(storedId: string): Promise<string> { return (await this.#active(storedId))?.status ?? 'absent' }
  async liveIdOf(storedId: string): Promise<string> {
    const active = await this.#active(storedId)
    if (!active) throw new Error('the conversation is not live')
    return active.id
  }
  close(): void { this.#socket.terminate() }
}
