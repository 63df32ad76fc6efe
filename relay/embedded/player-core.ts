/**
 * What one player host remembers and what all its parts share: stored conversations (survive a kill), live ones (do not),
 * sockets, timers and the journal that the fault world reads. No real timer, no socket: time and chance come from outside.
 */
import type { Chance, Clock, TimerHandle } from '#relay/clock/clock.ts'
import type { Scenario, ScenarioTurn } from './scenario.ts'

/** Seconds that a socketless idle session stays live (gateway.md, Verified 8), in ms. */
export const ORPHAN_GRACE_MS = 20_000
/** Calls and submits that the journal keeps; older ones fall out. */
export const JOURNAL_MAX = 20_000
/** Conversations kept; the oldest one that is not live falls out. */
export const STORED_MAX = 1_000
/** The longest timer that every clock can hold, in ms. */
export const TIMER_MS_MAX = 2 ** 31 - 1
/** The socket that stands for another program on the host. */
export const FOREIGN_SOCKET = 0

export type Json = Record<string, unknown>

export type PlayerRow = {
  id: number; session_id: string; role: 'user' | 'assistant' | 'tool'; content: string; tool_call_id: string | null; tool_calls: unknown[] | null
  tool_name: string | null; timestamp: number; finish_reason: string | null; reasoning: string | null; reasoning_content: string | null; active: 1
  display_kind: string | null
}

export type Stored = {
  storedId: string; title: string; source: string; model: string; provider: string; cwd: string | null; startedAtMs: number; lastActiveMs: number
  archived: boolean
  /** False until the first prompt: REST knows nothing of it before. */
  persisted: boolean
  rows: PlayerRow[]; inputTokens: number; outputTokens: number
  /** Turns that are played before the demo takes over. */
  scenario: Scenario | null; turnsPlayed: number
}

export type AskKind = 'approval' | 'clarify' | 'sudo' | 'secret'
export type PendingAsk = { kind: AskKind; requestId: string; payload: Json; timer: TimerHandle | null; raisedAtMs: number }

/** What wakes a waiting turn: time, an answer (`null`: nobody answered in time), or an interrupt, which is thrown into it. */
export type Wake = { answer: string | null } | null
export type Wait = { sleepMs: number } | { ask: PendingAsk; waitMs: number }
export type Play = Generator<Wait, void, Wake>

export type Run = {
  prompt: string; phase: 'starting' | 'playing' | 'ending'; unsolicited: boolean
  /** Finished narration of this turn, then the open segment. */
  segments: string[]; open: string
  play: Play | null; timer: TimerHandle | null; ask: PendingAsk | null
  interruptAsked: boolean
  /** Rows in memory before the turn: snapshots show the transcript up to here. */
  rowsBefore: number
  scripted: ScenarioTurn | null
  userRowWritten: boolean
}

export type Live = {
  liveId: string; stored: Stored; socketId: number | null; warm: boolean; run: Run | null; queued: string | null; steers: string[]
  reap: TimerHandle | null; reasoning: string; yolo: boolean; granted: boolean; sudoCached: boolean; afterInterrupt: boolean
  runningForced: boolean | null
  /** When the agent that is being built will be ready; 0 when nobody builds it. */
  builtAtMs: number
}

export type Socket = {
  id: number; onFrame(text: string): void; onClose(code: number | null): void; open: boolean
  /** RPCs of one socket run one after another: when the next may begin. */
  busyUntilMs: number
  answers: Map<string, (frame: Json) => void>
}

export type PlayerCall = { method: string; socketId: number; storedId: string | null; liveId: string | null; atMs: number; ok: boolean; params: Json }
export type PlayerSubmit = { storedId: string; text: string; socketId: number; atMs: number; status: 'streaming' | 'queued' | 'rejected'; foreign: boolean }

export type PlayerTiming = {
  /** How long a cold session takes until the agent is built and the user row is written. */
  buildMs: number
  clarifyWaitMs: number; sudoWaitMs: number; secretWaitMs: number
  /** `session.info{running:false}` follows `message.complete` by this. */
  idleAfterMs: number
  titleAfterMs: number
  /** Deltas are merged for this long. */
  batchMs: number
  /** `message.start` goes out before the reply of a submit (warm sessions do so). */
  startBeforeReply: boolean
  /** Factor on everything that only looks at human speed: thinking pauses, tool durations. */
  pace: number
}

export const PLAYER_TIMING: PlayerTiming = {
  buildMs: 700, clarifyWaitMs: 300_000, sudoWaitMs: 120_000, secretWaitMs: 300_000, idleAfterMs: 8, titleAfterMs: 300, batchMs: 33, startBeforeReply: true, pace: 1,
}

export type PlayerConfig = { approvals: { mode: string; timeout: number }; display: { busy_input_mode: string } } & Json

export class PlayerCore {
  readonly clock: Clock
  readonly chance: Chance
  readonly timing: PlayerTiming
  readonly stored = new Map<string, Stored>()
  readonly lives = new Map<string, Live>()
  readonly sockets = new Map<number, Socket>()
  readonly calls: PlayerCall[] = []
  readonly submits: PlayerSubmit[] = []
  /** Scenarios that no session has taken yet, in order. */
  readonly scenarios: Scenario[]
  model = 'demo-script'
  provider = 'demo'
  config: PlayerConfig = { approvals: { mode: 'manual', timeout: 60 }, display: { busy_input_mode: 'interrupt' } }
  up = true
  rowIdNext = 1
  socketIdNext = 1
  /** Cuts a socket; set by the host, because closing also orphans sessions. */
  closeSocket: ((socketId: number, code: number | null) => void) | null = null
  #timers = new Set<TimerHandle>()

  constructor(options: { clock: Clock; chance: Chance; timing?: Partial<PlayerTiming>; scenarios?: readonly Scenario[] }) {
    this.clock = options.clock
    this.chance = options.chance
    this.timing = { ...PLAYER_TIMING, ...options.timing }
    this.scenarios = [...(options.scenarios ?? [])]
  }

  /** A timer of the host's process: a kill takes it away. */
  schedule(run: () => void, delayMs: number): TimerHandle {
    if (!this.up) return {} // Killed in the middle of what it did: nothing of it goes on.
    const handle = this.clock.setTimer(() => {
      this.#timers.delete(handle)
      run()
    }, Math.min(delayMs, TIMER_MS_MAX))
    this.#timers.add(handle)
    return handle
  }

  cancel(handle: TimerHandle | null): void {
    if (handle === null || !this.#timers.delete(handle)) return
    this.clock.clearTimer(handle)
  }

  cancelAll(): void {
    for (const handle of this.#timers) this.clock.clearTimer(handle)
    this.#timers.clear()
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += Math.floor(this.chance.unit() * 0x1_0000_0000).toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }

  /** An event to whoever owns the session now; without an owner it is lost, as upstream loses it. */
  emit(live: Live, type: string, payload?: Json): void {
    if (live.socketId !== null) this.sendEvent(live.socketId, type, live.liveId, payload)
  }

  sendEvent(socketId: number, type: string, liveId: string | null, payload?: Json): void {
    const params: Json = { type, ...(liveId === null ? {} : { session_id: liveId }), ...(payload === undefined ? {} : { payload }) }
    this.sendFrame(socketId, { jsonrpc: '2.0', method: 'event', params })
  }

  sendFrame(socketId: number, frame: Json): void {
    const socket = this.sockets.get(socketId)
    if (socket?.open) socket.onFrame(JSON.stringify(frame))
  }

  note(method: string, socketId: number, live: Live | null, params: Json, ok: boolean, storedId: string | null = null): void {
    if (this.calls.length >= JOURNAL_MAX) this.calls.splice(0, JOURNAL_MAX / 10)
    this.calls.push({ method, socketId, storedId: live?.stored.storedId ?? storedId, liveId: live?.liveId ?? null, atMs: this.clock.now(), ok, params })
  }

  noteSubmit(submit: PlayerSubmit): void {
    if (this.submits.length >= JOURNAL_MAX) this.submits.splice(0, JOURNAL_MAX / 10)
    this.submits.push(submit)
  }

  addRow(stored: Stored, role: PlayerRow['role'], content: string, more: Partial<PlayerRow> = {}): PlayerRow {
    const row: PlayerRow = {
      id: this.rowIdNext++, session_id: stored.storedId, role, content, tool_call_id: null, tool_calls: null, tool_name: null, timestamp: this.clock.now() / 1_000,
      finish_reason: null, reasoning: null, reasoning_content: null, active: 1, display_kind: null, ...more,
    }
    stored.persisted = true
    stored.lastActiveMs = this.clock.now()
    stored.rows.push(row)
    return row
  }
}
