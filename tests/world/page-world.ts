/**
 * A device of a test: the real page cores (attach, outbox) over a line that can be cut, frozen and thawed at any frame. What it
 * stored survives it, as IndexedDB does; a new page on the same device begins with nothing else.
 */
import type { ChannelHandle, ChannelSession } from '#relay/hub/channel.ts'
import { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import { type AttachEffect, type AttachInput, type AttachState, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { initialOutbox, type OutboxEffect, type OutboxInput, type OutboxMessage, type OutboxState, stepOutbox } from '#web/core/outbox/outbox.ts'
import type { RelayWorld } from './relay-world.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Time of a frame from one end to the other, in ms. */
const LINE_MS = 5
/** A page tries again this long after its line died, in ms. */
const RECONNECT_MS = 300

type Line = { alive: boolean; frozen: (() => void)[] | null; handle: ChannelHandle | null; relayStart: number }

export class PageWorld {
  readonly deviceName: string
  readonly session: string
  /** What this device stored and the relay has not yet accepted. */
  readonly stored = new Map<string, OutboxMessage>()
  /** Attach frames sent and line-ups seen since the page began: a hole in the stream would show as more of the first. */
  attaches = 0
  linkUps = 0
  wakes = 0
  frames = 0
  readonly refusals: string[] = []
  readonly #clock: VirtualClock
  readonly #relay: RelayWorld
  readonly #tamper: (frame: LiveRelayFrame) => LiveRelayFrame
  #line: Line | null = null
  #attach: AttachState
  #outbox: OutboxState = initialOutbox
  #awake = false
  #idNext = 0

  constructor(parts: { clock: VirtualClock; relay: RelayWorld; deviceName: string; session: string; tamper?: (frame: LiveRelayFrame) => LiveRelayFrame }) {
    this.#clock = parts.clock
    this.#relay = parts.relay
    this.#tamper = parts.tamper ?? ((frame) => frame)
    this.deviceName = parts.deviceName
    this.session = parts.session
    this.#attach = initialAttach(parts.session)
  }

  get view(): LiveView { return this.#attach.view }
  get isLive(): boolean { return this.#attach.phase === 'live' && this.#line !== null && this.#line.frozen === null }
  get unsent(): number { return this.#outbox.entries.filter((e) => e.phase !== 'accepted').length }

  /** Opens the page: what it stored comes back, its conversation is attached. */
  wake(): void {
    if (this.#awake) return
    this.#awake = true
    this.wakes += 1
    this.#attach = initialAttach(this.session)
    this.#outbox = initialOutbox
    this.#toOutbox({ kind: 'loaded', messages: [...this.stored.values()] })
    this.#toAttach({ kind: 'opened' })
    this.#connect()
  }

  /** Kills the page: its memory is gone, its storage stays. */
  die(): void {
    this.#awake = false
    this.cut()
  }

  /** Cuts the line; what was on it is lost, in both directions. */
  cut(): void {
    const line = this.#line
    if (!line) return
    this.#line = null
    line.alive = false
    line.handle?.onClose()
    this.#toAttach({ kind: 'link_down' })
    this.#toOutbox({ kind: 'link_down' })
    this.#reconnectLater()
  }

  /** A frozen page reads nothing; the relay goes on sending. */
  freeze(): void { if (this.#line) this.#line.frozen ??= [] }
  thaw(): void {
    const frozen = this.#line?.frozen
    if (!this.#line || !frozen) return
    this.#line.frozen = null
    for (const deliver of frozen) deliver()
  }

  /** The person writes. False when no page is open to write into. */
  write(text: string, clientMsgId: string): boolean {
    if (!this.#awake) return false
    this.#toOutbox({ kind: 'written', message: { clientMsgId, session: this.session, text, options: null, atMs: this.#clock.now() } })
    return true
  }
  say(type: string, payload: Record<string, unknown>): void {
    if (this.#awake) this.#send(type, { session: this.session, ...payload })
  }

  #connect(): void {
    if (this.#line || !this.#awake) return
    if (!this.#relay.isUp) return this.#reconnectLater()
    const line: Line = { alive: true, frozen: null, handle: null, relayStart: this.#relay.starts }
    const socket: ChannelSession = {
      socketId: `${this.deviceName}-${this.#idNext++}`, deviceId: this.deviceName, deviceName: this.deviceName, supports: { live: 1 }, hasGrant: () => true,
      send: (type, payloadJson) => {
        const deliver = (): void => { if (line.alive) this.#receive(type, payloadJson) }
        this.#clock.setTimer(() => (line.frozen ? line.frozen.push(deliver) : deliver()), LINE_MS)
      },
    }
    line.handle = this.#relay.channel.open(socket)
    this.#line = line
    this.linkUps += 1
    this.#toAttach({ kind: 'link_up' })
    this.#toOutbox({ kind: 'link_up' })
  }

  #reconnectLater(): void {
    this.#clock.setTimer(() => this.#connect(), RECONNECT_MS)
  }

  #receive(type: string, payloadJson: string): void {
    const raw = LiveRelayFrame.parse({ type, payload: JSON.parse(payloadJson) })
    const frame = this.#tamper(raw)
    this.frames += 1
    if (frame.type === 'live.accepted') this.#toOutbox({ kind: 'accepted', clientMsgId: frame.payload.client_msg_id })
    else if (frame.type !== 'live.activity' && frame.type !== 'live.refused') this.#toAttach({ kind: 'frame', frame, nowMs: this.#clock.now() })
    this.#toOutbox({ kind: 'seen', clientMsgIds: this.view.messages.map((m) => m.clientMsgId) })
  }

  #send(type: string, payload: Record<string, unknown>): void {
    const line = this.#line
    if (!line) return
    this.#clock.setTimer(() => {
      if (!line.alive || this.#relay.starts !== line.relayStart || !this.#relay.isUp) return
      void line.handle?.onFrame({ channel: 'live', type, payload }).then((refusal) => {
        if (refusal) this.refusals.push(refusal.code)
      })
    }, LINE_MS)
  }

  #toAttach(input: AttachInput): void {
    const [next, ...effects] = stepAttach(this.#attach, input)
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
      case 'attach':
        this.attaches += 1
        return this.#send('live.attach', { session: effect.session, ...(effect.epoch ? { epoch: effect.epoch } : {}), ...(effect.after !== null ? { after: effect.after } : {}) })
      case 'detach': return this.#send('live.detach', { session: effect.session })
      case 'store':
        this.stored.set(effect.message.clientMsgId, effect.message)
        return this.#toOutbox({ kind: 'stored', clientMsgId: effect.message.clientMsgId })
      case 'send': return this.#send('live.submit', { session: effect.message.session, client_msg_id: effect.message.clientMsgId, text: effect.message.text })
      case 'forget':
        this.stored.delete(effect.clientMsgId)
        return
      case 'fetch': throw new Error('no event of this world is that large')
      case 'return_text': throw new Error('the outbox of this world is never full')
    }
  }
}
