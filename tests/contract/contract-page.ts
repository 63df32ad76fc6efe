/** A page in real time: the page's own cores (attach, outbox, transcript) over a line to a relay, in memory or a real socket. */
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import type { Block, ToolBlock, Turn } from '#protocol/turn/turn-fold.ts'
import { systemChance } from '#relay/clock/clock.ts'
import { type AttachEffect, type AttachInput, type AttachState, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { initialOutbox, type OutboxEffect, type OutboxInput, type OutboxState, stepOutbox } from '#web/core/outbox/outbox.ts'
import { type DisplayItem, mergeTranscript } from '#web/core/transcript/transcript.ts'
import { until } from './until.ts'

const RECONNECT_MS = 100

export interface Line { send(type: string, payload: Record<string, unknown>): void; close(): void }
export interface LineEvents { onUp(): void; onFrame(type: string, payload: unknown): void; onRefused(code: string): void; onDown(): void }
export type Connect = (events: LineEvents) => Line | null

export class ContractPage {
  readonly session: string
  readonly refusals: string[] = []
  /** Snapshots received: one to begin with, one more for each relay that came back. */
  snapshots = 0
  /** How often the relay said that it lost Hermes; the line may be back before anybody looks. */
  losses = 0
  readonly #connect: Connect
  #attach: AttachState
  #outbox: OutboxState = initialOutbox
  #line: Line | null = null
  #open = false

  constructor(parts: { session: string; connect: Connect }) {
    this.session = parts.session
    this.#connect = parts.connect
    this.#attach = initialAttach(parts.session)
  }

  get view(): LiveView { return this.#attach.view }
  get turn(): Turn | null { return this.view.turn }
  get storedId(): string {
    if (!this.view.storedId) throw new Error('the conversation has no stored id yet')
    return this.view.storedId
  }
  get isLive(): boolean { return this.#attach.phase === 'live' }
  get unsent(): string[] { return this.#outbox.entries.filter((entry) => entry.phase !== 'accepted').map((entry) => entry.text) }

  open(): void {
    this.#open = true
    this.#toAttach({ kind: 'opened' })
    this.#reconnect()
  }
  close(): void {
    this.#open = false
    this.#line?.close()
    this.#line = null
  }

  #reconnect(): void {
    if (!this.#open || this.#line) return
    this.#line = this.#connect({
      onUp: () => {
        this.#toAttach({ kind: 'link_up' })
        this.#toOutbox({ kind: 'link_up' })
      },
      onFrame: (type, payload) => this.#onFrame(type, payload),
      onRefused: (code) => this.refusals.push(code),
      onDown: () => {
        this.#line = null
        this.#toAttach({ kind: 'link_down' })
        this.#toOutbox({ kind: 'link_down' })
        setTimeout(() => this.#reconnect(), RECONNECT_MS)
      },
    })
    if (!this.#line) setTimeout(() => this.#reconnect(), RECONNECT_MS)
  }

  #onFrame(type: string, payload: unknown): void {
    const frame = LiveRelayFrame.parse({ type, payload })
    if (frame.type === 'live.snapshot') this.snapshots += 1
    if (frame.type === 'live.refused') this.refusals.push(frame.payload.code)
    else if (frame.type === 'live.accepted') this.#toOutbox({ kind: 'accepted', clientMsgId: frame.payload.client_msg_id })
    else if (frame.type !== 'live.activity') this.#toAttach({ kind: 'frame', frame, nowMs: Date.now() })
    this.#toOutbox({ kind: 'seen', clientMsgIds: this.view.messages.map((message) => message.clientMsgId) })
  }

  #toAttach(input: AttachInput): void {
    const [next, ...effects] = stepAttach(this.#attach, input)
    if (this.view.link === 'up' && next.view.link === 'down') this.losses += 1
    this.#attach = next
    for (const effect of effects) this.#carryOut(effect)
  }
  #toOutbox(input: OutboxInput): void {
    const [next, ...effects] = stepOutbox(this.#outbox, input)
    this.#outbox = next
    for (const effect of effects) this.#carryOut(effect)
  }
  #carryOut(effect: AttachEffect | OutboxEffect): void {
    switch (effect.kind) {
      case 'attach': return this.#line?.send('live.attach', { session: effect.session, ...(effect.epoch ? { epoch: effect.epoch } : {}), ...(effect.after !== null ? { after: effect.after } : {}) })
      case 'detach': return this.#line?.send('live.detach', { session: effect.session })
      case 'store': return this.#toOutbox({ kind: 'stored', clientMsgId: effect.message.clientMsgId })
      case 'send': return this.#line?.send('live.submit', { session: effect.message.session, client_msg_id: effect.message.clientMsgId, text: effect.message.text, ...(effect.message.options ? { options: effect.message.options } : {}) })
      case 'forget': return
      case 'fetch': throw new Error('no event of these tests is that large')
      case 'return_text': throw new Error('the outbox of these tests is never full')
    }
  }

  /** The person writes; answers the id of the message. */
  write(text: string, options: { title?: string } | null = null): string {
    const clientMsgId = systemChance.uuid()
    this.#toOutbox({ kind: 'written', message: { clientMsgId, session: this.session, text, options, atMs: Date.now() } })
    return clientMsgId
  }
  say(type: string, payload: Record<string, unknown> = {}): void { this.#line?.send(type, { session: this.session, ...payload }) }
  steer(text: string): string {
    const clientMsgId = systemChance.uuid()
    this.say('live.steer', { client_msg_id: clientMsgId, text })
    return clientMsgId
  }
  answer(ask: AskView, answer: Record<string, unknown>): void { this.say('live.answer', { ask_id: ask.askId, answer }) }

  until<Found>(what: string, look: (view: LiveView) => Found | Promise<Found>, withinMs?: number): Promise<NonNullable<Found>> {
    return until(what, () => look(this.view), withinMs, () => this.view)
  }
  /** Does this, and waits until the page heard that the line to Hermes was lost. */
  async loseLine(cut: () => void): Promise<void> {
    const { losses } = this
    cut()
    await this.until('the line to be lost', () => this.losses > losses)
  }
  /** The next question that waits for a person. */
  ask(kind: AskView['kind']): Promise<AskView> {
    return this.until(`a question of the kind ${kind}`, (view) => view.asks.find((ask) => ask.kind === kind && ask.state === 'open'))
  }
  /** The turn of this prompt ended, and nothing is on its way any more. */
  async ended(prompt: string, withinMs?: number): Promise<Turn> {
    await this.until(`the turn of "${prompt}" to end`, ({ turn, messages }) => turn?.prompt === prompt && turn.phase === 'ended' && !messages.some((m) => m.text === prompt), withinMs)
    return this.turn!
  }
  async turnOf(text: string): Promise<Turn> {
    this.write(text)
    return this.ended(text)
  }

  /** What the eye sees, given the rows of REST. */
  transcript(rows: readonly MessageRow[]): DisplayItem[] {
    return mergeTranscript({ rows, rowsRevision: this.view.historyRevision, view: this.view, outbox: this.#outbox.entries })
  }
}

const blocksOf = (shown: Turn | DisplayItem | null): readonly Block[] => (shown && 'blocks' in shown ? shown.blocks : [])
export const textOf = (turn: Turn | DisplayItem | null): string => blocksOf(turn).flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n')
export const thoughtOf = (turn: Turn | DisplayItem | null): string => blocksOf(turn).flatMap((block) => (block.kind === 'thinking' ? [block.text] : [])).join('')
export const toolsOf = (turn: Turn | DisplayItem | null): ToolBlock[] => blocksOf(turn).filter((block): block is ToolBlock => block.kind === 'tool')
/** `count N` of the scripted model says this. */
export const countTo = (n: number): string => Array.from({ length: n }, (_, index) => index + 1).join(' ')
