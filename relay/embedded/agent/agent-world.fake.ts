/** The agent of a test: a real store, a real workspace, a scripted model over HTTP, and a client that speaks the gateway. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import type { UpstreamSocket, UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { openStore, type Store } from '#relay/store/open-store.ts'
import { type AgentDeps, createAgentTransport } from './agent-transport.ts'
import { createScriptedModel, type ScriptedModel } from './scripted-model.fake.ts'

export const KEY = 'sk-secret-1234567890'
type Json = Record<string, unknown>
export type Event = { type: string; session_id: string; payload: Json }
type Rpc = { result?: Json; error?: { code: number; message: string } }

/** What an end of a wait must come in, in ms. */
const WAIT_MS = 12_000

export async function until<Value>(what: string, look: () => Value | undefined | null | false): Promise<Value> {
  for (const endMs = Date.now() + WAIT_MS; Date.now() < endMs;) {
    const value = look()
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`waited in vain for ${what}`)
}

export class GatewayClient {
  readonly events: Event[] = []
  readonly #answers = new Map<number, (answer: Rpc) => void>()
  readonly #socket: UpstreamSocket
  #idNext = 1
  closed: number | null | undefined = undefined

  constructor(transport: UpstreamTransport) {
    this.#socket = transport.openGateway({
      onOpen: () => undefined,
      onFrame: (text) => {
        const frame = JSON.parse(text) as Json
        if (frame['method'] === 'event') this.events.push({ ...(frame['params'] as Event), payload: ((frame['params'] as Json)['payload'] ?? {}) as Json })
        else this.#answers.get(Number(frame['id']))?.(frame as Rpc)
      },
      onClose: ({ code }) => { this.closed = code },
    })
  }

  call(method: string, params: Json = {}): Promise<Rpc> {
    const id = this.#idNext++
    return new Promise((resolve) => {
      this.#answers.set(id, resolve)
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  /** The result, or an error of the test. */
  async ok(method: string, params: Json = {}): Promise<Json> {
    const answer = await this.call(method, params)
    if (!answer.result) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    return answer.result
  }

  close(): void { this.#socket.close() }
  /** The n-th event of this type, from 0. */
  event(type: string, n = 0): Promise<Event> { return until(`${type} ${n}`, () => this.events.filter((event) => event.type === type)[n]) }
  all(type: string): Json[] { return this.events.filter((event) => event.type === type).map(({ payload }) => payload) }
  text(): string { return this.all('message.delta').map(({ text }) => text).join('') }
}

export type AgentWorld = {
  model: ScriptedModel; home: string; workspace: string; log: unknown[]
  transport: UpstreamTransport; store: Store; client: GatewayClient
  /** A new conversation: its live id and its stored id. */
  create(params?: Json): Promise<{ live: string; stored: string }>
  submit(live: string, text: string): Promise<Json>
  rest(method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<{ status: number; body: Json }>
  rows(stored: string): Promise<Json[]>
  /** The relay dies: nothing is flushed, what the store has stays. Then it starts again. */
  crash(): void
  restart(): void
  end(): Promise<void>
}

export async function createAgentWorld(options: Partial<AgentDeps> = {}): Promise<AgentWorld> {
  const model = await createScriptedModel()
  const home = mkdtempSync(join(tmpdir(), 'relay-agent-'))
  const workspace = join(home, 'workspace')
  const log: unknown[] = []
  const start = () => {
    const store = openStore(join(home, 'data'), { clock: systemClock })
    const transport = createAgentTransport({
      provider: { baseUrl: model.url, model: 'model-a', apiKey: KEY }, db: store.db, clock: systemClock, chance: systemChance, workspace, onLog: (line, facts) => log.push([line, facts]), ...options,
      timing: { retryMs: 5, ...options.timing },
    })
    return { store, transport, client: new GatewayClient(transport) }
  }
  let parts = start()
  const world: AgentWorld = {
    model, home, workspace, log,
    get transport() { return parts.transport },
    get store() { return parts.store },
    get client() { return parts.client },
    async create(params = {}) {
      const { session_id: live, stored_session_id: stored } = await parts.client.ok('session.create', { source: 'webui', ...params })
      return { live: String(live), stored: String(stored) }
    },
    submit: (live, text) => parts.client.ok('prompt.submit', { session_id: live, text }),
    async rest(method, path, body) {
      const answer = await parts.transport.request({ method, path, timeoutMs: 5_000, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      if (answer.kind !== 'answer') throw new Error(answer.kind)
      return { status: answer.status, body: JSON.parse(answer.body) as Json }
    },
    rows: async (stored) => (await world.rest('GET', `/api/sessions/${stored}/messages`)).body['messages'] as Json[],
    crash() { parts.store.close() }, // Whatever the old host still wants to write fails from now on.
    restart() {
      parts.transport.close()
      parts.store.close()
      parts = start()
    },
    async end() {
      parts.transport.close()
      parts.store.close()
      await model.close()
      const kept = everything(home)
      rmSync(home, { recursive: true })
      if (kept.includes(KEY) || JSON.stringify(log).includes(KEY)) throw new Error('the key was written somewhere')
    },
  }
  return world
}

const everything = (folder: string): string => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
