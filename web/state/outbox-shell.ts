/** The outbox of this page: stored first, sent by the link, forgotten when the relay accepted. */
import { onCleanup } from 'solid-js'
import { initialOutbox, type OutboxEffect, type OutboxInput, type OutboxMessage, stepOutbox } from '#web/core/outbox/outbox.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'
import { createCoreStore } from './create-core-store.ts'
import type { LinkShell } from './link-shell.ts'

export type OutboxShell = ReturnType<typeof createOutboxShell>
export type Returned = { message: OutboxMessage; reason: 'not_stored' | 'full' }

export function createOutboxShell(storage: PageStorage, link: LinkShell) {
  const returnListeners = new Set<(returned: Returned) => void>()
  const carry = (effect: OutboxEffect, give: (input: OutboxInput) => void): void => {
    switch (effect.kind) {
      case 'store': {
        const { clientMsgId } = effect.message
        storage.outbox.put(clientMsgId, effect.message).then(() => give({ kind: 'stored', clientMsgId }), () => give({ kind: 'store_failed', clientMsgId }))
        return
      }
      case 'send': {
        const { session, clientMsgId, text, options } = effect.message
        link.send({ type: 'live.submit', payload: { session, client_msg_id: clientMsgId, text, attachments: [], ...(options ? { options } : {}) } })
        return
      }
      case 'forget': storage.outbox.remove(effect.clientMsgId).catch(() => undefined); return // Sent again after a reload, which is harmless.
      case 'return_text': for (const listener of returnListeners) listener(effect)
    }
  }
  const store = createCoreStore(stepOutbox, initialOutbox, carry)
  storage.outbox.all().then((messages) => store.give({ kind: 'loaded', messages: messages.sort((a, b) => a.atMs - b.atMs) }), () => undefined)
  onCleanup(link.onLink((up) => store.give({ kind: up ? 'link_up' : 'link_down' })))
  onCleanup(link.listen((frame) => {
    if (frame.type === 'live.accepted') store.give({ kind: 'accepted', clientMsgId: frame.payload.client_msg_id })
    if (frame.type === 'live.refused' && frame.payload.client_msg_id !== null) store.give({ kind: 'refused', clientMsgId: frame.payload.client_msg_id, say: frame.payload.say, next: frame.payload.next })
  }))
  return { ...store, onReturned(listener: (returned: Returned) => void): () => void { returnListeners.add(listener); return () => returnListeners.delete(listener) } }
}
