/** Title, sound and notification while a question waits. */
import { createEffect, on, onCleanup } from 'solid-js'
import { chime, notify, setTitle } from '#web/platform/attention.ts'
import { isVisible } from '#web/platform/presence.ts'
import type { Services } from '#web/state/services.ts'
import type { Conversation } from './conversation.ts'

export function watchAttention(conversation: Conversation, { link, sessions, route }: Services): void {
  const elsewhere = (): number => link.activity().filter((one) => one.state === 'asking' && one.session !== conversation.storedId() && one.session !== conversation.chatKey).length
  createEffect(() => setTitle(conversation.asks().length + elsewhere(), conversation.view().title ?? ''))
  onCleanup(() => setTitle(0, ''))

  const told = new Set<string>()
  createEffect(() => {
    for (const ask of conversation.asks()) {
      if (told.has(ask.askId)) continue
      told.add(ask.askId)
      if (isVisible()) continue
      chime()
      notify('Hermes waits for you', ask.command ?? ask.title, ask.askId, () => undefined)
    }
  })
  // Other conversations: only the mark is known, not the question.
  createEffect(on(() => link.activity().filter((one) => one.state === 'asking').map((one) => one.session).join(), (now, before) => {
    for (const id of now.split(',').filter(Boolean)) {
      if (before?.split(',').includes(id) || id === conversation.storedId() || id === conversation.chatKey || isVisible()) continue
      chime()
      notify('Hermes waits for you', sessions.sessions()?.find((session) => session.sessionId === id)?.title ?? 'A conversation has a question', id, () => route.openChat(id))
    }
  }))
}
