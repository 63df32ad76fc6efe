/** Name of the conversation, what it runs with, how full its context is. */
import { createMemo, createSignal, onCleanup, Show } from 'solid-js'
import { notifyState, askNotify } from '#web/platform/attention.ts'
import { whenIdle } from '#web/platform/idle.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { ChatMenu } from './chat-menu.tsx'
import type { TranscriptHandle } from './transcript/transcript-view.tsx'
import type { Conversation } from './conversation.ts'
import type { NewChat } from './new-chat.ts'

export function ChatBar(props: { conversation: Conversation; empty: boolean; newChat: NewChat; onMenu(): void; onFind(): void; transcript: TranscriptHandle | null }) {
  const { sessions, toast } = useServices()
  const facts = useRelayFacts()
  const [bell, setBell] = createSignal<ReturnType<typeof notifyState> | null>(null)
  onCleanup(whenIdle(() => setBell(notifyState()))) // Asking the browser takes 15 ms that nobody has at the start.
  const stored = createMemo(() => sessions.sessions()?.find((session) => session.sessionId === props.conversation.storedId()))
  const title = (): string => stored()?.title || props.conversation.view().title || stored()?.preview || (props.empty ? 'New conversation' : 'Conversation')
  const usage = () => props.conversation.view().turn?.usage ?? null
  const percent = (): number | null => usage()?.contextPercent ?? null
  const silent = (): boolean => { const info = props.conversation.view().info; return info !== null && (info.yolo || info.approvalMode === 'off') }
  const runsWith = (): string => {
    const info = props.conversation.view().info
    const model = info?.model ?? stored()?.model ?? props.newChat.now()?.model ?? null
    return [facts.hermes()?.demo ? 'Demo agent' : model, info?.cwd ?? stored()?.cwd, percent() === null ? null : `${Math.round(percent() ?? 0)} % context`].filter(Boolean).join(' · ')
  }
  const ask = async (): Promise<void> => {
    const state = await askNotify()
    setBell(state)
    toast.show(state === 'on' ? 'You get a notification when a question waits and this page is hidden.' : 'The browser does not allow notifications for this page.')
  }
  return (
    <header class="bar">
      <button type="button" class="icon menu" aria-label="Conversations" onClick={() => props.onMenu()}><Icon name="menu" /></button>
      <div class="t"><h1>{title()}</h1><p><Show when={silent()}><span class="warn">runs commands without asking · </span></Show>{runsWith() || '\u00a0'}</p></div>
      <Show when={bell() === 'ask'}><button type="button" class="icon bell" aria-label="Notify me when the agent waits for me" title="Notify me when the agent waits for me" onClick={() => void ask()}><Icon name="bell" /></button></Show>
      <Show when={!props.empty}><IconButton icon="search" label="Find in this conversation" shortcut="find" onClick={() => props.onFind()} /></Show>
      <Show when={!props.empty}><ChatMenu conversation={props.conversation} transcript={props.transcript} /></Show>
      <Show when={percent() !== null}><span class="meter" style={{ width: `${Math.min(100, percent() ?? 0)}%` }} /></Show>
    </header>
  )
}
