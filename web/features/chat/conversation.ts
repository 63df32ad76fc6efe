/** Wires one open conversation: the attach core, the stored rows, the outbox, and one list for the eye. A rule here is a rule in the wrong room. */
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import type { LiveClientFrame } from '#protocol/live/live-frame.ts'
import { isRunning, openAsks, ViewEvent } from '#protocol/live/live-view.ts'
import { type AttachEffect, type AttachInput, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { mergeTranscript } from '#web/core/transcript/transcript.ts'
import { newId, nowMs } from '#web/platform/clock.ts'
import { createCoreStore } from '#web/state/create-core-store.ts'
import type { Services } from '#web/state/services.ts'
import { TRANSCRIPT_ROWS_MAX } from '#web/storage/page-storage.ts'

export type Conversation = ReturnType<typeof createConversation>
type Words = { say: string; next: string }
/** `payload` without the session: the conversation knows its own. */
type Ask<Frame> = Frame extends { type: infer Type; payload: infer Payload } ? { type: Type; payload: Omit<Payload, 'session'> } : never

export function createConversation(chatKey: string, services: Services) {
  const { link, dashboard, storage, outbox, toast, call } = services
  const [rows, setRows] = createSignal<{ rows: readonly MessageRow[]; revision: number } | null>(null)
  const [failure, setFailure] = createSignal<Words | null>(null)

  const carry = (effect: AttachEffect, give: (input: AttachInput) => void): void => {
    if (effect.kind === 'detach') link.send({ type: 'live.detach', payload: { session: effect.session } })
    else if (effect.kind === 'attach') {
      const known = effect.epoch === null || effect.after === null ? {} : { epoch: effect.epoch, after: effect.after }
      link.send({ type: 'live.attach', payload: { session: effect.session, ...known } }, (refusal) => { if (refusal.code !== 'offline') setFailure(refusal) })
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

  let reading = false
  let readAgain = false
  async function readRows(): Promise<void> {
    const id = core.now().view.storedId
    if (id === null) return
    const { turn, historyAnchor } = core.now().view
    // Its first turn: no row is below the anchor, and Hermes may not know the id yet.
    if (!historyAnchor && (chatKey.startsWith('draft:') || (turn !== null && turn.phase !== 'ended'))) return
    if (reading) { readAgain = true; return }
    reading = true
    const revision = core.now().view.historyRevision
    const got = await dashboard.messages(id)
    reading = false
    if (got.ok) {
      setRows({ rows: got.value, revision })
      setFailure(null)
      void storage.transcripts.put(id, { session: id, rows: got.value.slice(-TRANSCRIPT_ROWS_MAX), savedAtMs: nowMs() }).catch(() => undefined) // A cache: losing it costs a wait.
    } else if (core.now().view.turn === null && core.now().view.messages.length === 0) setFailure(got.failure)
    if (readAgain) { readAgain = false; void readRows() }
  }
  createEffect(on([storedId, () => view().historyRevision, () => view().historyAnchor, () => core.state().epoch, () => link.link().kind === 'open'], ([id]) => {
    if (id === null) return
    if (rows() === null) void storage.transcripts.get(id).then((kept) => { if (kept && rows() === null) setRows({ rows: kept.rows, revision: -1 }) }).catch(() => undefined)
    void readRows()
  }))
  createEffect(on(storedId, (id) => {
    if (id === null || !chatKey.startsWith('draft:')) return
    services.route.adopt(id)
    void services.sessions.refresh()
  }))

  // Hermes names a conversation a moment after its first answer, when no list is read any more.
  createEffect(on(() => view().title, () => void services.sessions.refresh(), { defer: true }))

  const items = createMemo(() => mergeTranscript({
    rows: rows()?.rows ?? [], rowsRevision: rows()?.revision ?? -1, view: view(), outbox: outbox.state().entries.filter((entry) => entry.session === chatKey || entry.session === storedId()),
  }))
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
  return {
    order, steer, chatKey, view, storedId, items, failure, readRows,
    skewMs: () => core.state().skewMs,
    waiting: () => rows() === null && storedId() !== null && failure() === null && view().turn === null,
    running: createMemo(() => isRunning(view())),
    asks: createMemo(() => openAsks(view())),
  }
}
