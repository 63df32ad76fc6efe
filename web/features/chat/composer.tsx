/** Where a person writes. Enter sends, Shift+Enter breaks the line, an input method is never interrupted. */
import { createEffect, Show } from 'solid-js'
import { preference } from '#web/state/preferences.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { ComposerStore } from './composer-store.ts'
import type { Conversation } from './conversation.ts'
import type { NewChat } from './new-chat.ts'
import { NewChatPills } from './new-chat-pills.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { RunningPills } from './running-pills.tsx'
import { UsageStrip } from './usage-strip.tsx'

const isSoftKeyboard = matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches
const growsByItself = CSS.supports('field-sizing', 'content')

export function Composer(props: { composer: ComposerStore; conversation: Conversation; newChat: NewChat; empty: boolean }) {
  let field!: HTMLTextAreaElement
  const running = () => props.conversation.running()
  const stopping = (): boolean => props.conversation.view().turn?.stopping ?? false
  /** After a stop a new message stands behind those that wait for the person. */
  const behind = (): boolean => props.conversation.view().held && props.conversation.view().messages.some((message) => message.state === 'queued')
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    const always = event.ctrlKey || event.metaKey
    // The Enter of a soft keyboard is how a phone breaks a line; a physical one does what was chosen (screens.md 17).
    if (!always && (preference('enter') === 'newline' || isSoftKeyboard)) return
    event.preventDefault()
    props.composer.send()
  }
  createEffect(() => {
    props.composer.text()
    if (growsByItself) return
    field.style.height = 'auto'
    field.style.height = `${field.scrollHeight}px`
  })
  return (
    <div class="dock"><div class="w">
      <Show when={props.empty && props.newChat.warning()}>{(warning) => <p class="note" role="status"><Icon name="triangle-alert" />{warning()}</p>}</Show>
      <Show when={props.composer.tooLong()}><p class="note bad" role="alert"><Icon name="triangle-alert" />The message is longer than 1 MiB. Shorten it, or put the long part in a file.</p></Show>
      <Show when={props.composer.notice()}>{(notice) => <p class="note" role="status"><Icon name="triangle-alert" />{notice()}</p>}</Show>
      <Show when={behind() && props.composer.text().trim() !== ''}><p class="note" role="status"><Icon name="triangle-alert" />Paused: this waits behind the queue.</p></Show>
      <QueueStrip conversation={props.conversation} composer={props.composer} />
      <form class="composer" onSubmit={(event) => { event.preventDefault(); props.composer.send() }}>
        <textarea
          ref={(el) => { field = el; props.composer.setField(el) }} rows="1" aria-label="Message" placeholder={behind() ? 'Paused: this waits behind the queue' : running() ? 'Add a message; it waits its turn' : 'Message the agent'} value={props.composer.text()}
          onInput={(event) => props.composer.type(event.currentTarget.value)} onKeyDown={onKeyDown} enterkeyhint={isSoftKeyboard ? 'enter' : 'send'} autofocus={matchMedia('(pointer: fine)').matches}
        />
        <div class="tools">
          <Show when={props.empty} fallback={<RunningPills conversation={props.conversation} />}><NewChatPills newChat={props.newChat} /></Show>
          <span class="sp" />
          <Show when={running()}><button type="button" class="send stop" aria-label={stopping() ? 'Stopping' : 'Stop'} title="Stop" disabled={stopping()} onClick={() => { props.conversation.order({ type: 'live.stop', payload: {} }); props.composer.resume() }}><Icon name="square" /></button></Show>
          <Show when={!running() || props.composer.canSend()}><button type="submit" class="send" aria-label={running() || behind() ? 'Add to the queue' : 'Send'} title={behind() ? 'Paused: this waits behind the queue' : undefined} disabled={!props.composer.canSend()}><Icon name="arrow-up" /></button></Show>
        </div>
      </form>
      <UsageStrip usage={props.conversation.view().turn?.usage ?? null} figures={props.conversation.figures()} />
    </div></div>
  )
}

