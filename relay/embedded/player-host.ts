/**
 * The player: an in-process host that speaks the gateway and REST of hermes-agent 0.19.0. It is the demo, the fake of the tests and
 * the upstream of the fault world in one; under an injected clock and chance it does the same thing every time.
 */
import type { Chance, Clock } from '#relay/clock/clock.ts'
import { DEMO_WELCOME } from './demo-script.ts'
import { FRAME_BYTES_MAX, readFrame } from './gateway-read.ts'
import { FOREIGN_SOCKET, type Json, type PlayerCall, PlayerCore, type PlayerRow, type PlayerSubmit, type PlayerTiming } from './player-core.ts'
import { answerRest, type RestAnswer } from './player-rest.ts'
import { isPooled, METHODS, type RpcOutcome, rpcMs } from './player-rpc.ts'
import { liveOf, makeLive, makeStored, orphan, own } from './player-sessions.ts'
import type { Scenario, ScenarioRow } from './scenario.ts'
import { answerAsk, startUnsolicited, submitPrompt } from './turn-runner.ts'

export type PlayerOptions = { clock: Clock; chance: Chance; scenarios?: readonly Scenario[]; timing?: Partial<PlayerTiming>; /** Begins with a welcome conversation. */ demo?: boolean }
export type PlayerSocket = { id: number; send(text: string): void; close(): void }
export type LiveGlance = { liveId: string; storedId: string; running: boolean; socketId: number | null; ask: string | null; queued: string | null }

export class PlayerHost {
  readonly #core: PlayerCore

  constructor(options: PlayerOptions) {
    this.#core = new PlayerCore(options)
    this.#core.closeSocket = (socketId, code) => this.#close(socketId, code)
    for (const scenario of this.#core.scenarios.filter((known) => known.history.length > 0 || known.in_flight)) this.#seed(scenario)
    this.#core.scenarios.splice(0, this.#core.scenarios.length, ...this.#core.scenarios.filter((known) => known.history.length === 0 && !known.in_flight))
    if (options.demo) this.seedSession({ title: 'Welcome to the demo', rows: DEMO_WELCOME })
  }

  /** Opens a gateway socket. `gateway.ready` comes first, soon; `onClose` comes exactly once, `null` when the line was cut. */
  connect(onFrame: (text: string) => void, onClose: (code: number | null) => void): PlayerSocket {
    const core = this.#core
    const id = core.socketIdNext++
    if (!core.up) {
      core.clock.setTimer(() => onClose(null), 1)
      return { id, send: () => undefined, close: () => undefined }
    }
    core.sockets.set(id, { id, onFrame, onClose, open: true, busyUntilMs: 0, answers: new Map() })
    core.schedule(() => core.sendEvent(id, 'gateway.ready', null, { skin: { name: 'demo', branding: { agent_name: 'Built-in demo' } } }), 1)
    return { id, send: (text) => this.#receive(id, text), close: () => this.#close(id, 1000) }
  }

  /** One REST request. While the host is down there is no answer: ask `isUp` first. */
  request(method: string, path: string, body?: unknown): RestAnswer {
    return answerRest(this.#core, method, path, body)
  }

  get isUp(): boolean { return this.#core.up }

  #receive(socketId: number, text: string): void {
    const core = this.#core
    const socket = core.sockets.get(socketId)
    if (!socket?.open) return
    if (Buffer.byteLength(text) > FRAME_BYTES_MAX) {
      this.#close(socketId, 1009)
      return
    }
    const frame = readFrame(text)
    if ('failure' in frame) {
      core.schedule(() => core.sendFrame(socketId, { jsonrpc: '2.0', ...frame.failure }), 1)
      return
    }
    const { raw } = frame
    if (raw['method'] === undefined && ('result' in raw || 'error' in raw)) {
      this.#answerServerRequest(raw)
      return
    }
    const method = String(raw['method'])
    const pooled = isPooled(method)
    const startMs = pooled ? core.clock.now() : Math.max(core.clock.now(), socket.busyUntilMs)
    if (!pooled) socket.busyUntilMs = startMs + rpcMs(method)
    // Runs also when the socket dies meanwhile: what was received is done, only the reply is lost (M3).
    core.schedule(() => this.#run(socketId, raw['id'] ?? null, method, (raw['params'] ?? {}) as Json), startMs - core.clock.now())
  }

  #answerServerRequest(raw: Json): void {
    const live = [...this.#core.lives.values()].find((known) => known.run?.ask?.requestId === raw['id'])
    if (live) answerAsk(this.#core, live, JSON.stringify(raw['result'] ?? null))
  }

  #run(socketId: number, rpcId: unknown, method: string, params: Json): void {
    const core = this.#core
    const live = core.lives.get(String(params['session_id'])) ?? null
    const handler = METHODS[method]
    const outcome: RpcOutcome = handler ? handler({ core, socketId, params }) : { error: { code: -32601, message: `unknown method: ${method}` } }
    core.note(method, socketId, live, params, 'result' in outcome, typeof params['session_id'] === 'string' ? params['session_id'] : null)
    if (!core.sockets.has(socketId)) orphan(core, socketId) // The socket died while the call ran: what it took has no listener.
    const { replyDelayMs = 0, ...answer } = outcome
    core.schedule(() => core.sendFrame(socketId, { jsonrpc: '2.0', id: rpcId, ...answer }), rpcMs(method) + replyDelayMs)
  }

  #close(socketId: number, code: number | null): void {
    const socket = this.#core.sockets.get(socketId)
    if (!socket?.open) return
    socket.open = false
    this.#core.sockets.delete(socketId)
    orphan(this.#core, socketId)
    this.#core.clock.setTimer(() => socket.onClose(code), 0)
  }

  #seed(scenario: Scenario): void {
    const core = this.#core
    const stored = makeStored(core, { title: scenario.name, scenario, ...(scenario.stored ? { storedId: scenario.stored } : {}) })
    this.#addRows(stored.storedId, scenario.history)
    if (!scenario.in_flight) return
    const { user, assistant, queued, steps } = scenario.in_flight
    const live = makeLive(core, stored, null)
    const rowsBefore = stored.rows.length
    core.addRow(stored, 'user', user)
    live.queued = queued ?? null
    startUnsolicited(core, live, { steps }, { prompt: user, open: assistant, rowsBefore, userRowWritten: true })
  }

  #addRows(storedId: string, rows: readonly ScenarioRow[]): void {
    const stored = this.#core.stored.get(storedId)!
    for (const row of rows) {
      const more: Partial<PlayerRow> = { finish_reason: row.finish_reason ?? null, reasoning: row.reasoning ?? null, tool_calls: row.tool_calls ?? null, tool_call_id: row.tool_call_id ?? null, tool_name: row.tool_name ?? null, display_kind: row.display_kind ?? null }
      this.#core.addRow(stored, row.role, row.content, row.timestamp === undefined ? more : { ...more, timestamp: row.timestamp })
    }
  }

  // What the fault world does to the host.

  /** SIGKILL: every line is cut, live sessions, running turns and pending questions are gone; rows stay, partial answers are lost. */
  kill(): void {
    const core = this.#core
    core.up = false
    core.cancelAll()
    const sockets = [...core.sockets.values()]
    core.sockets.clear()
    core.lives.clear()
    for (const [storedId, stored] of core.stored) if (!stored.persisted) core.stored.delete(storedId)
    for (const socket of sockets) {
      socket.open = false
      core.clock.setTimer(() => socket.onClose(null), 0)
    }
  }

  restart(): void { this.#core.up = true }

  /** The line of one socket is cut without a close frame. */
  dropSocket(socketId: number, code: number | null = null): void { this.#close(socketId, code) }

  /** Another program of the same Hermes takes the session: all events go there, its prompt runs, its rows appear. False: no such session. */
  foreignSubmit(storedId: string, text: string): boolean {
    const core = this.#core
    const stored = core.stored.get(storedId)
    if (!core.up || !stored) return false
    const live = liveOf(core, storedId) ?? makeLive(core, stored, FOREIGN_SOCKET)
    own(core, live, FOREIGN_SOCKET)
    const { status } = submitPrompt(core, live, text)
    core.noteSubmit({ storedId, text, socketId: FOREIGN_SOCKET, atMs: core.clock.now(), status, foreign: true })
    return true
  }

  /** A second Hermes process on the same home: rows appear, nothing is busy, no event moves (M9). */
  foreignRows(storedId: string, rows: readonly ScenarioRow[]): boolean {
    if (!this.#core.stored.has(storedId)) return false
    this.#addRows(storedId, rows)
    return true
  }

  /** Puts a finished conversation into the store. */
  seedSession(seed: { title?: string; storedId?: string; rows?: readonly ScenarioRow[] }): string {
    const { storedId } = makeStored(this.#core, seed)
    this.#addRows(storedId, seed.rows ?? [])
    this.#core.stored.get(storedId)!.persisted = true
    return storedId
  }

  /** Played by the next sessions that are created. */
  addScenario(scenario: Scenario): void {
    if (scenario.history.length > 0 || scenario.in_flight) this.#seed(scenario)
    else this.#core.scenarios.push(scenario)
  }

  // What the invariants read.

  get calls(): readonly PlayerCall[] { return this.#core.calls }
  get submits(): readonly PlayerSubmit[] { return this.#core.submits }
  get socketIds(): number[] { return [...this.#core.sockets.keys()] }
  get storedIds(): string[] { return [...this.#core.stored.keys()] }
  rows(storedId: string): readonly PlayerRow[] { return this.#core.stored.get(storedId)?.rows ?? [] }
  userRows(storedId: string): readonly PlayerRow[] { return this.rows(storedId).filter((row) => row.role === 'user') }
  live(): LiveGlance[] {
    return [...this.#core.lives.values()].map((live) => ({
      liveId: live.liveId, storedId: live.stored.storedId, running: live.run !== null, socketId: live.socketId, ask: live.run?.ask?.kind ?? null, queued: live.queued,
    }))
  }
}

export const createPlayerHost = (options: PlayerOptions): PlayerHost => new PlayerHost(options)
