/** One step of the lease in the making: a copy of the state to change, and the list of effects in their order. */
import { MESSAGE_SHOWN, type StoredAsk, type StoredMessage } from './journal.ts'
import { stepView, type ViewEvent } from '#protocol/live/live-view.ts'
import { invariant } from '#protocol/refusal/refusal.ts'
import { type LeaseEffect, type LeaseState, shownMessage, type TimerName } from './lease-state.ts'

/** What one concern asks of another at the end of a step; so that the files of the lease form no circle. */
export type LeaseSignal = 'recover' | 'turn_begins' | 'release_end'

/** Only the draft changes; the state that it was made from stays as it was. */
export class LeaseDraft {
  state: LeaseState
  readonly effects: LeaseEffect[] = []
  readonly signals: LeaseSignal[] = []
  readonly nowMs: number

  constructor(state: LeaseState, nowMs: number) {
    this.state = { ...state }
    this.nowMs = nowMs
  }

  want(effect: LeaseEffect): void {
    this.effects.push(effect)
  }

  signal(signal: LeaseSignal): void {
    this.signals.push(signal)
  }

  /** Numbers and folds one event; every subscriber will see it. */
  emit(event: ViewEvent): void {
    this.state.view = stepView(this.state.view, event)
    this.effects.push({ kind: 'emit', event })
  }

  timer(name: TimerName, delayMs: number): void {
    this.effects.push({ kind: 'timer', name, delayMs })
  }
  clear(name: TimerName): void {
    this.effects.push({ kind: 'clear_timer', name })
  }

  /** A new number for a question to the outside; only the answer with the same number counts. */
  nextOp(): number {
    this.state.op += 1
    return this.state.op
  }
  rpc(method: string, params: Record<string, unknown>): number {
    const op = this.nextOp()
    this.want({ kind: 'rpc', op, method, params })
    return op
  }
  readStatus(via: 'side' | 'main' = 'side'): number {
    const op = this.nextOp()
    this.want({ kind: 'read_status', op, via })
    return op
  }
  readRows(after: number | null): number {
    const op = this.nextOp()
    this.want({ kind: 'read_rows', op, after })
    return op
  }

  message(clientMsgId: string): StoredMessage | undefined {
    return this.state.messages.find((m) => m.clientMsgId === clientMsgId)
  }

  /** Changes a message, writes it down, tells the devices. A settled message leaves the list. */
  patchMessage(clientMsgId: string, patch: Partial<StoredMessage>): StoredMessage {
    const known = this.message(clientMsgId)
    invariant(known, 'a message that is changed is known')
    const next: StoredMessage = { ...known, ...patch }
    const keep = MESSAGE_SHOWN.includes(next.state) || next.state === 'confirmed' || next.state === 'steered'
    const others = this.state.messages.filter((m) => m.clientMsgId !== clientMsgId && (m.state !== 'confirmed' || next.state !== 'confirmed'))
    this.state.messages = (keep ? [...others, next] : others).sort((a, b) => a.position - b.position)
    this.want({ kind: 'save_message', message: next })
    this.emitMessages()
    return next
  }

  /** A confirmed message is a row of the history now, a hint went with its turn: both are forgotten here. */
  dropConfirmed(): void {
    const rest = this.state.messages.filter((m) => m.state !== 'confirmed' && m.state !== 'steered')
    if (rest.length === this.state.messages.length) return
    this.state.messages = rest
    this.emitMessages()
  }

  emitMessages(held = this.state.view.held): void {
    this.emit({ kind: 'messages', messages: this.state.messages.map(shownMessage), held })
  }

  /** What is queued waits from now on, until the person releases it. */
  holdQueue(): void {
    if (!this.state.messages.some((m) => m.state === 'queued')) return
    this.emitMessages(true)
    this.saveSession()
  }

  /** A stop was pressed for a turn that never began: it must not stop the next one (I5). What goes back to the queue is held. */
  forgetStop(): void {
    if (!this.state.stopWanted || isRunning(this.state)) return
    this.state.stopWanted = false
    this.holdQueue()
  }

  patchAsk(ask: StoredAsk): void {
    const closed = ask.view.state === 'answered' || ask.view.state === 'expired'
    const others = this.state.asks.filter((a) => a.view.askId !== ask.view.askId)
    this.state.asks = closed ? others : this.state.asks.some((a) => a.view.askId === ask.view.askId) ? this.state.asks.map((a) => (a.view.askId === ask.view.askId ? ask : a)) : [...others, ask]
    if (closed) this.state.secrets = Object.fromEntries(Object.entries(this.state.secrets).filter(([askId]) => askId !== ask.view.askId))
    this.want({ kind: 'save_ask', ask })
    this.emit({ kind: 'ask', ask: ask.view })
  }

  saveSession(): void {
    const { key, profile, liveId, options, view } = this.state
    this.want({ kind: 'save_session', session: { key, profile, storedId: view.storedId, liveId, running: isRunning(this.state), held: view.held, options } })
  }

  setOwner(owner: LeaseState['view']['owner']): void {
    if (this.state.view.owner !== owner) this.emit({ kind: 'owner', owner })
  }
}

export const isRunning = (state: LeaseState): boolean => state.view.turn !== null && state.view.turn.phase !== 'ended'
/** The session's events come to our socket. */
export const isBound = (state: LeaseState): boolean => state.link.up && state.boundGen === state.link.gen
export const openAsks = (state: LeaseState): StoredAsk[] => state.asks.filter((ask) => ask.view.state !== 'answered' && ask.view.state !== 'expired')
