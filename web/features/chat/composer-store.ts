/** The composer: a draft that is kept from the first keystroke, and the way from it into the outbox. */
import { createEffect, createMemo, createSignal, onCleanup } from 'solid-js'
import { MESSAGE_BYTES_MAX } from '#protocol/live/live-frame.ts'
import { type DraftEffect, type DraftInput, initialDraft, stepDraft } from '#web/core/drafts/drafts.ts'
import { onBeforeLeave } from '#web/platform/before-leave.ts'
import { newId, nowMs } from '#web/platform/clock.ts'
import { createCoreStore } from '#web/state/create-core-store.ts'
import { newDraftKey } from '#web/state/route.ts'
import type { Services } from '#web/state/services.ts'
import type { Conversation } from './conversation.ts'
import type { NewChat } from './new-chat.ts'

export type ComposerStore = ReturnType<typeof createComposer>
const encoder = new TextEncoder()
/** Below this many UTF-16 units no text can pass the limit in bytes. */
const SURELY_SHORT = MESSAGE_BYTES_MAX / 3

export function createComposer(conversation: Conversation, newChat: NewChat, { storage, outbox, route }: Services) {
  const key = conversation.chatKey
  const [field, setField] = createSignal<HTMLTextAreaElement | null>(null)
  const [lost, setLost] = createSignal<string | null>(null)
  const [sent, setSent] = createSignal(0)
  // What is typed must be on the screen in the same task: a controlled field that lags behind loses keys.
  const [text, setText] = createSignal('')
  /** Takes away what this tab knows to lie there; what another tab has written since stays. */
  const forget = async (at: string, over: string): Promise<void> => { if ((await storage.drafts.get(at))?.text === over) await storage.drafts.remove(at) }
  const carry = (effect: DraftEffect, give: (input: DraftInput) => void): void => {
    if (effect.kind === 'forget') return void forget(effect.key, effect.over).catch(() => undefined)
    const done = effect.text === '' ? forget(effect.key, effect.over) : storage.drafts.put(effect.key, { session: effect.key, text: effect.text })
    done.then(() => give({ kind: 'stored' }), () => give({ kind: 'store_failed' }))
  }
  const draft = createCoreStore(stepDraft, initialDraft(key), carry)
  // A disk that is still writing earlier words has the last ones behind them, in order.
  onCleanup(onBeforeLeave(async () => {
    const { key: at, text: last, writing, stored } = draft.now()
    const onDisk = writing ?? stored
    if (last !== onDisk) await (last === '' ? forget(at, onDisk) : storage.drafts.put(at, { session: at, text: last }))
    else if (writing !== null) await storage.drafts.get(at) // Answered after it.
  }))
  const type = (next: string): void => { setText(next); draft.give({ kind: 'typed', text: next }) }
  const put = (more: string): void => type(text().trim() === '' ? more : `${text()}\n\n${more}`)
  const take = async (at: string, give: (kept: string) => DraftInput): Promise<void> => {
    const kept = await storage.drafts.get(at).catch(() => null)
    draft.give(give(kept?.text ?? ''))
    setText(draft.now().text)
  }
  const loaded = take(key, (kept) => ({ kind: 'loaded', text: kept }))
  // From its stored id on, a reload and a click in the list look for the draft there.
  createEffect(() => { const id = conversation.storedId(); if (id !== null && id !== key) void loaded.then(() => take(id, (kept) => ({ kind: 'named', key: id, text: kept }))) })
  onCleanup(outbox.onReturned(({ message, reason }) => {
    if (message.session !== key && message.session !== conversation.storedId()) return
    put(message.text)
    setLost(reason === 'full' ? 'Too many messages wait in this browser. The text stays here.' : 'This browser could not keep the message safe, so it was not sent. The text stays here; make room or leave private mode.')
  }))
  const tooLong = createMemo(() => text().length > SURELY_SHORT && encoder.encode(text()).length > MESSAGE_BYTES_MAX)
  const canSend = createMemo(() => text().trim() !== '' && !tooLong())
  return {
    /** Counts what was sent from here. */
    sent,
    text, type, put, setField, tooLong, canSend,
    /** Text of a waiting message whose turn came while it was edited. */
    rescue(edited: string): void {
      type(text().trim() === '' ? edited : `${edited}\n\n${text()}`)
      setLost('The waiting message left the queue while you edited it. Your edited text is here.')
      field()?.focus()
    },
    focus: () => field()?.focus(),
    /** After a button that has gone. On a phone this would open the keyboard over what is read. */
    resume: () => { if (matchMedia('(pointer: fine)').matches) field()?.focus() },
    notice: () => lost() ?? (draft.state().failed || !storage.durable ? 'This browser does not keep drafts: the text lives as long as this tab.' : null),
    /** A suggestion: it goes at once, and what was typed stays. */
    sendNow(words: string): void {
      const typed = text()
      type(words)
      this.send()
      if (typed.trim() !== '') type(typed)
    },
    send(): void {
      if (!canSend()) return
      setLost(null)
      const fresh = conversation.storedId() === null
      outbox.give({ kind: 'written', message: { clientMsgId: newId(), session: conversation.chatKey, text: text(), options: fresh ? newChat.options() : null, atMs: nowMs() } })
      setSent((count) => count + 1)
      // When it could not be stored the outbox gives the text back, in the same or a later task.
      type('')
      field()?.focus()
    },
    /** The draft has become a conversation: the next new chat gets a key of its own. */
    begun(): void {
      if (!key.startsWith('draft:') || route.draftKey() !== key) return
      const next = newDraftKey()
      route.renewDraft(next)
      void storage.settings.put('draftKey', { value: next }).catch(() => undefined)
    },
  }
}
