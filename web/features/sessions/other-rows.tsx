/** Rows that are not a stored conversation: the chat that is not begun, words that wait here, and what was found in messages. */
import { For } from 'solid-js'
import type { SearchHit } from '#protocol/dashboard/search-hit.ts'
import type { WaitingChat } from '#web/core/sessions/waiting-chats.ts'
import { useServices } from '#web/state/services.ts'
import { shortWhen } from '#web/ui/when.ts'
import type { ListStore } from './list-store.ts'
import { moveKeys } from './session-row-view.tsx'

export function DraftRow(props: { store: ListStore; onPick(): void }) {
  const { route } = useServices()
  return (
    <div class="row on">
      <button type="button" class="open" data-key="draft" tabindex={props.store.tabStop() === 'draft' ? 0 : -1} aria-current="true" onFocus={() => props.store.setFocused('draft')} onKeyDown={(event) => moveKeys(event, props.store)} onClick={() => { route.openDraft(); props.onPick() }}>
        <i class="dot" /><b>New conversation</b><time>now</time><small>Nothing sent yet</small>
      </button>
    </div>
  )
}

const WAITING_WORDS = { waiting: 'Waits for the connection', refused: 'Not sent', sending: 'Sending', taken: 'Waits for the agent' } as const

/** A new chat that Hermes does not know yet: there is nothing to rename or delete, so it has no menu. */
export function WaitingRow(props: { store: ListStore; chat: WaitingChat; onPick(): void }) {
  const { route } = useServices()
  const isOpen = (): boolean => props.store.openKey() === props.chat.key
  return (
    <div class="row" classList={{ on: isOpen() }}>
      <button
        type="button" class="open" data-key={props.chat.key} tabindex={props.store.tabStop() === props.chat.key ? 0 : -1} aria-current={isOpen() ? 'true' : undefined}
        onFocus={() => props.store.setFocused(props.chat.key)} onKeyDown={(event) => moveKeys(event, props.store)} onClick={() => { route.openChat(props.chat.key); props.onPick() }}
      >
        <i class={`dot ${props.chat.state}`} /><b>{props.chat.words}</b><time>{shortWhen(props.chat.atMs, props.store.now())}</time><small>{WAITING_WORDS[props.chat.state]}</small>
      </button>
    </div>
  )
}

export function HitRow(props: { store: ListStore; hit: SearchHit; onPick(): void }) {
  const { route } = useServices()
  const id = (): string => props.hit.sessionId
  const name = (): string => { const session = props.store.sessionOf(id()); return props.hit.title || session?.title || session?.preview || 'Conversation' }
  return (
    <div class="row" classList={{ on: props.store.openKey() === id() }}>
      <button type="button" class="open" data-key={id()} tabindex={props.store.tabStop() === id() ? 0 : -1} onFocus={() => props.store.setFocused(id())} onKeyDown={(event) => moveKeys(event, props.store)} onClick={() => { route.openChat(id()); props.onPick() }}>
        <i class="dot" /><b>{name()}</b><time /><small><For each={props.hit.snippet}>{(part) => (part.isHit ? <mark>{part.text}</mark> : part.text)}</For></small>
      </button>
    </div>
  )
}
