/**
 * What the agent's host remembers and what all its parts share: live conversations, their running turns, sockets, timers. What must
 * survive is in the store; everything here may be lost at any time.
 */
import type { Chance, Clock, TimerHandle } from '#relay/clock/clock.ts'
import type { Json } from '../player-core.ts'
import type { AgentRepo, AgentSession, NewRow } from './agent-repo.ts'
import type { ConfinedFolder } from './confined-folder.ts'
import type { ModelClient } from './model-client.ts'
import { CONTEXT_TOKENS_MAX } from './prompt-window.ts'
import type { CommandEnd } from './run-command.ts'

/** Seconds that a socketless idle conversation stays live, as with a Hermes, in ms. */
export const ORPHAN_GRACE_MS = 20_000
/** Conversations that are live at once; the oldest idle one gives way. */
export const LIVES_MAX = 256
/** Commands that a person allowed for the rest of one conversation. */
export const ALLOWED_MAX = 200
/** Prompts that wait for a busy conversation are one text; its length, in UTF-16 units. */
export const QUEUED_CHARS_MAX = 2 * 1_024 * 1_024
/** Hints that wait for the next result of a tool. */
export const STEERS_MAX = 32
/** Model rounds of one turn. */
export const ROUNDS_MAX = 40
/** A question waits at most a day for its answer, whatever the settings say, in seconds. */
export const APPROVAL_S_MAX = 86_400

export type AgentTiming = { clarifyMs: number; commandMs: number; orphanMs: number }
export const AGENT_TIMING: AgentTiming = { clarifyMs: 300_000, commandMs: 120_000, orphanMs: ORPHAN_GRACE_MS }

export type AskKind = 'approval' | 'clarify'
export type PendingAsk = { kind: AskKind; requestId: string; answer(text: string): void }

export type Run = {
  prompt: string
  /** The row of the prompt: snapshots show the conversation up to here. */
  userRowId: number
  /** Finished narration of this turn, then the open segment and the thinking before it. */
  segments: string[]; open: string; reasoning: string
  controller: AbortController; ask: PendingAsk | null
  phase: 'playing' | 'ending'
  isAfterTool: boolean
}

export type Live = {
  liveId: string
  session: AgentSession
  /** False until the first prompt: REST knows nothing of it before. */
  persisted: boolean
  socketId: number | null; run: Run | null; queued: string | null; steers: string[]; reap: TimerHandle | null
  /** The person said that this conversation needs no approvals. */
  yolo: boolean
  /** Commands, to the letter, that the person allowed for this conversation. */
  allowed: Set<string>
  calls: number
}

export type Socket = { id: number; onFrame(text: string): void; onClose(code: number | null): void }
export type Approvals = { mode: 'manual' | 'off'; timeoutS: number }
export type BusyMode = 'interrupt' | 'queue' | 'steer'

export type AgentParts = {
  clock: Clock; chance: Chance; repo: AgentRepo; client: ModelClient; folder: ConfinedFolder; model: string; version: string; contextMax?: number; timing?: Partial<AgentTiming>
  runCommand(command: string, signal: AbortSignal): Promise<CommandEnd>
  onLog?(line: string, facts: Record<string, unknown>): void
}

export class AgentCore {
  readonly parts: AgentParts
  readonly clock: Clock
  readonly repo: AgentRepo
  readonly timing: AgentTiming
  readonly contextMax: number
  readonly lives = new Map<string, Live>()
  readonly sockets = new Map<number, Socket>()
  readonly #timers = new Set<TimerHandle>()
  isUp = true
  socketIdNext = 1

  constructor(parts: AgentParts) {
    this.parts = parts
    this.clock = parts.clock
    this.repo = parts.repo
    this.timing = { ...AGENT_TIMING, ...parts.timing }
    this.contextMax = parts.contextMax ?? CONTEXT_TOKENS_MAX
  }

  get approvals(): Approvals {
    const timeoutS = Number(this.repo.setting('approvals.timeout') ?? 60)
    return { mode: this.repo.setting('approvals.mode') === 'off' ? 'off' : 'manual', timeoutS: timeoutS > 0 && timeoutS <= APPROVAL_S_MAX ? timeoutS : 60 }
  }

  get busyMode(): BusyMode {
    const mode = this.repo.setting('busy_input_mode')
    return mode === 'queue' || mode === 'steer' ? mode : 'interrupt'
  }

  log(line: string, facts: Record<string, unknown>): void {
    this.parts.onLog?.(line, facts)
  }

  /** A timer of the host: its end takes it away. */
  schedule(run: () => void, delayMs: number): TimerHandle {
    const handle = this.clock.setTimer(() => {
      this.#timers.delete(handle)
      run()
    }, delayMs)
    this.#timers.add(handle)
    return handle
  }

  cancel(handle: TimerHandle | null): void {
    if (handle !== null && this.#timers.delete(handle)) this.clock.clearTimer(handle)
  }

  cancelAll(): void {
    for (const handle of this.#timers) this.clock.clearTimer(handle)
    this.#timers.clear()
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.parts.chance.uuid().replaceAll('-', '')
    return text.slice(0, digits)
  }

  /** An event to whoever owns the conversation now; without an owner it is lost, as a Hermes loses it. */
  emit(live: Live, type: string, payload?: Json): void {
    if (live.socketId !== null) this.sendEvent(live.socketId, type, live.liveId, payload)
  }

  sendEvent(socketId: number, type: string, liveId: string | null, payload?: Json): void {
    this.sendFrame(socketId, { jsonrpc: '2.0', method: 'event', params: { type, ...(liveId === null ? {} : { session_id: liveId }), ...(payload === undefined ? {} : { payload }) } })
  }

  sendFrame(socketId: number, frame: Json): void {
    this.sockets.get(socketId)?.onFrame(JSON.stringify(frame))
  }

  addRow(live: Live, row: NewRow): number {
    live.session.activeAtMs = this.clock.now()
    return this.repo.add(live.session.storedId, row, live.session.activeAtMs)
  }
}
