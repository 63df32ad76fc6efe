/** Wires one open conversation: the attach core, the stored rows, the outbox, and one list for the eye. A rule here is a rule in the wrong room. */
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import type { LiveClientFrame } from '#protocol/live/live-frame.ts'
import { isRunning, openAsks, ViewEvent } from '#protocol/live/live-view.ts'
import { type AttachEffect, type AttachInput, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { mergeTranscript, pastTranscript } from '#web/core/transcript/transcript.ts'
import { newId, nowMs } from '#web/platform/clock.ts'
import { createCoreStore } from '#web/state/create-core-store.ts'
import type { Services } from '#web/state/services.ts'
import { createHistoryStore } from './history-store.ts'
import { createTurnFigures } from './turn-figures.ts'

export type Conversation = ReturnType<typeof createConversation>
type Words = { say: string; next: string }
/** `payload` without the session: the conversation knows its own. */
type Ask<Frame> = Frame extends { type: infer Type; payload: infer Payload } ? { type: Type; payload: Omit<Payload, 'session'> } : never

export function createConversation(chatKey: string, services: Services) {
  const { link, outbox, toast, call } = services
  const history = createHistoryStore(services)
  const [attachFailure, setAttachFailure] = createSignal<Words | null>(null)

  const carry = (effect: AttachEffect, give: (input: AttachInput) => void): void => {
    if (effect.kind === 'detach') link.send({ type: 'live.detach', payload: { session: effect.session } })
    else if (effect.kind === 'attach') {
      const known = effect.epoch === null || effect.after === null ? {} : { epoch: effect.epoch, after: effect.after }
      link.send({ type: 'live.attach', payload: { session: effect.session, ...known } }, (refusal) => { if (refusal.code !== 'offline') setAttachFailure(refusal) })
    } else void fetchStub(effect, give)
  }
  async function fetchStub({ seq, href }: { seq: number; href: string }, give: (input: AttachInput) => void): Promise<void> {
    const answer = await call(href)
    const body = answer.ok ? (answer.body as { event?: unknown } | null) : null
    const event = ViewEvent.safeParse(body?.event ?? body)
    give(event.success ? { kind: 'fetched', seq, event: event.data } : { kind: 'fetch_failed', seq })
  }
  const core = createCoreStore(stepAttach, initialAttach(chatKey), carry)
  const view = createMemo(() => core.state().view)
  const storedId = createMemo(() => view().storedId)

  core.give({ kind: 'opened' })
  onCleanup(() => core.give({ kind: 'closed' }))
  onCleanup(link.onLink((up) => core.give({ kind: up ? 'link_up' : 'link_down' })))
  onCleanup(link.listen((frame) => {
    core.give({ kind: 'frame', frame, nowMs: nowMs() })
    if (frame.type === 'live.snapshot' && frame.payload.session === chatKey) outbox.give({ kind: 'seen', clientMsgIds: mine().filter((entry) => entry.phase === 'accepted').map((entry) => entry.clientMsgId) })
  }))

  const mine = () => outbox.now().entries.filter((entry) => entry.session === chatKey || entry.session === core.now().view.storedId)
  createEffect(() => {
    const { messages, turn } = view()
    outbox.give({ kind: 'seen', clientMsgIds: [...messages.map((message) => message.clientMsgId), ...(turn?.clientMsgId ? [turn.clientMsgId] : [])] })
  })

  async function readRows(): Promise<void> {
    const id = core.now().view.storedId
    if (id === null) return
    void history.open(id)
    const { turn, historyAnchor } = core.now().view
    // Its first turn: no row is below the anchor, and Hermes may not know the id yet.
    if (!historyAnchor && (chatKey.startsWith('draft:') || (turn !== null && turn.phase !== 'ended'))) return
    await history.refresh(core.now().view.historyRevision)
  }
  createEffect(on([storedId, () => view().historyRevision, () => view().historyAnchor, () => core.state().epoch, () => link.link().kind === 'open'], () => void readRows()))
  createEffect(on(storedId, (id) => {
    if (id === null || !chatKey.startsWith('draft:')) return
    services.route.adopt(id)
    void services.sessions.refresh()
  }))

  // Hermes names a conversation a moment after its first answer, when no list is read any more.
  createEffect(on(() => view().title, () => void services.sessions.refresh(), { defer: true }))

  // A row keeps the name of the turn or message that it was live, so that what is open stays open.
  const names = new Map<number, string>()
  const items = createMemo(() => (history.atEnd()
    ? mergeTranscript({ rows: history.rows(), rowsRevision: history.revision(), view: view(), names, outbox: outbox.state().entries.filter((entry) => entry.session === chatKey || entry.session === storedId()) })
    : pastTranscript(history.rows(), names)))
  type Order = Ask<LiveClientFrame>
  /** Sends an order about this conversation; a refusal is said. */
  const order = (frame: Order, onRefused?: (words: Words) => void): void => {
    link.send({ type: frame.type, payload: { ...frame.payload, session: chatKey } } as LiveClientFrame, (refusal) => { onRefused?.(refusal); toast.show(`${refusal.say} ${refusal.next}`) })
  }
  /** Gives a waiting message to the running turn as a hint. It leaves the queue only when the relay has taken the hint. */
  function steer(queued: { clientMsgId: string; text: string }): void {
    const hintId = newId()
    const forget = link.listen((frame) => {
      if (frame.type !== 'live.accepted' || frame.payload.client_msg_id !== hintId) return
      forget()
      order({ type: 'live.queue.remove', payload: { client_msg_id: queued.clientMsgId } })
    })
    order({ type: 'live.steer', payload: { client_msg_id: hintId, text: queued.text } }, forget)
  }
  const running = createMemo(() => isRunning(view()))
  const timing = createTurnFigures(() => view().turn, () => performance.now())
  const failure = createMemo<Words | null>(() => attachFailure() ?? (history.window() === null && view().turn === null && view().messages.length === 0 ? history.failure() : null))
  /** The turn that may be run again: the last one, when it failed and nothing runs or waits behind it. */
  const retryTurnId = createMemo(() => {
    const { turn, outcomes, owner } = view()
    const last = turn ?? null
    if (running() || owner === 'elsewhere' || !history.atEnd()) return null
    const failed = (status: string | undefined): boolean => status === 'error' || status === 'lost'
    if (last) return failed(last.outcome?.status) && last.prompt !== null ? last.turnId : null
    const outcome = outcomes.at(-1)
    return outcome && failed(outcome.outcome.status) && outcome.prompt !== null && items().at(-1)?.key === `outcome-${outcome.turnId}` ? outcome.turnId : null
  })
  return {
    order, steer, chatKey, view, storedId, items, figures: timing.figures, thoughtS: timing.thoughtS, seenTool: timing.seenTool, failure, readRows, running, retryTurnId, history,
    atEnd: history.atEnd, earlier: history.earlier, later: history.later, toEnd: history.toEnd,
    retry(turnId: string): void { order({ type: 'live.retry', payload: { turn_id: turnId, client_msg_id: newId() } }) },
    skewMs: () => core.state().skewMs,
    waiting: () => history.window() === null && storedId() !== null && failure() === null && view().turn === null && (view().historyAnchor !== 0 || !chatKey.startsWith('draft:')),
    asks: createMemo(() => openAsks(view())),
  }
}
