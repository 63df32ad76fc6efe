/** Messages that wait for their turn, on top of the composer; after a stop they wait for a person. */
import { createMemo, createSignal, For, onCleanup, Show } from 'solid-js'
import type { Message } from '#protocol/live/live-view.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { ComposerStore } from './composer-store.ts'
import type { Conversation } from './conversation.ts'

export function QueueStrip(props: { conversation: Conversation; composer: ComposerStore }) {
  const queue = createMemo(() => props.conversation.view().messages.filter((message) => message.state === 'queued'))
  const ids = createMemo(() => queue().map((message) => message.clientMsgId))
  const order = (id: string, before: string | null): void => props.conversation.order({ type: 'live.queue.move', payload: { client_msg_id: id, before } })
  const remove = (id: string): void => props.conversation.order({ type: 'live.queue.remove', payload: { client_msg_id: id } })
  const takeBack = (): void => {
    for (const message of queue()) {
      props.composer.put(message.text)
      remove(message.clientMsgId)
    }
    props.composer.focus()
  }
  const byId = (id: string): Message | undefined => queue().find((message) => message.clientMsgId === id)
  return (
    <Show when={queue().length > 0}>
      <ul class="queue" aria-label="Waiting messages">
        <Show when={props.conversation.view().held}>
          <li class="held"><span>Paused after stop.</span><span class="sp" />
            <button type="button" class="btn s" onClick={() => props.conversation.order({ type: 'live.queue.release', payload: {} })}>Send next</button>
            <button type="button" class="btn s" onClick={takeBack}>Put back into the composer</button>
          </li>
        </Show>
        <For each={ids()}>{(id, index) => (
          <Show when={byId(id)}>{(message) => (
            <QueueRow
              message={message()} first={index() === 0} last={index() === ids().length - 1}
              onUp={() => order(id, ids()[index() - 1] ?? null)} onDown={() => order(id, ids()[index() + 2] ?? null)} onRemove={() => remove(id)} onHint={props.conversation.running() ? () => props.conversation.steer(message()) : null}
              onLost={(text) => props.composer.rescue(text)}
              onEdit={(text) => props.conversation.order({ type: 'live.queue.edit', payload: { client_msg_id: id, text } })}
            />
          )}</Show>
        )}</For>
      </ul>
    </Show>
  )
}

function QueueRow(props: { message: Message; first: boolean; last: boolean; onUp(): void; onDown(): void; onRemove(): void; onHint: (() => void) | null; onEdit(text: string): void; onLost(text: string): void }) {
  const [editing, setEditing] = createSignal<string | null>(null)
  const save = (): void => { const text = editing()?.trim(); setEditing(null); if (text && text !== props.message.text) props.onEdit(text) }
  // The row leaves the queue, or the page its conversation, while it is edited: what was written stays with the person.
  const waiting = props.message.text
  onCleanup(() => { const text = editing()?.trim(); if (text && text !== waiting) props.onLost(text) })
  return (
    <li>
      <Icon name="corner-down-right" />
      <Show when={editing() === null} fallback={
        <>
          <textarea aria-label="Edit waiting message" rows="1" ref={(el) => queueMicrotask(() => el.focus())} value={editing() ?? ''} onInput={(event) => setEditing(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === 'Escape') setEditing(null); if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); save() } }} />
          <button type="button" class="btn s p" onClick={save}>Save</button>
        </>
      }>
        <b>{props.message.text}</b>
        <Show when={props.first}><span class="mono">next</span></Show>
        <Show when={!props.first}><button type="button" class="icon" aria-label="Earlier" onClick={() => props.onUp()}><Icon name="chevron-up" /></button></Show>
        <Show when={!props.last}><button type="button" class="icon" aria-label="Later" onClick={() => props.onDown()}><Icon name="chevron-down" /></button></Show>
        <Show when={props.onHint}>{(hint) => <button type="button" class="icon" aria-label="Give it to the agent now, as a hint" title="Give it to the agent now, as a hint" onClick={() => hint()()}><Icon name="arrow-right" /></button>}</Show>
        <button type="button" class="icon" aria-label="Edit" onClick={() => setEditing(props.message.text)}><Icon name="pencil" /></button>
        <button type="button" class="icon" aria-label="Remove" onClick={() => props.onRemove()}><Icon name="x" /></button>
      </Show>
    </li>
  )
}
