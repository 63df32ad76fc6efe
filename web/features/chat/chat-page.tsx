/** One conversation: bar, banners, transcript, questions, composer. */
import './chat.css'
import { createEffect, createMemo, createSignal, For, lazy, onCleanup, Show, Suspense } from 'solid-js'
import { whenIdle } from '#web/platform/idle.ts'
import { type KeptPlace, takePlace } from '#web/platform/kept-place.ts'
import { createOnline } from '#web/platform/presence.ts'
import { connectionWords } from '#web/state/connection-words.ts'
import { useLayer } from '#web/state/layers.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { useShortcut } from '#web/state/shortcuts.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Late } from '#web/ui/late.tsx'
import { Announcer } from './announcer.tsx'
import { AskCard } from './ask-card.tsx'
import { watchAttention } from './attention.ts'
import { ChatBar } from './chat-bar.tsx'
import { Composer } from './composer.tsx'
import { createComposer } from './composer-store.ts'
import { createConversation } from './conversation.ts'
import { EmptyChat } from './empty-chat.tsx'
import { loadTranscript } from './load-transcript.ts'
import { createNewChat } from './new-chat.ts'
import type { TranscriptHandle } from './transcript/transcript-view.tsx'

const FindBar = lazy(() => import('./find/find-bar.tsx'))
// The composer takes words before the transcript can be drawn.
const TranscriptView = lazy(async () => ({ default: (await loadTranscript()).TranscriptView }))

export default function ChatPage(props: { chatKey: string; onMenu(): void }) {
  const services = useServices()
  const { link } = services
  const facts = useRelayFacts()
  const conversation = createConversation(props.chatKey, services)
  const newChat = createNewChat(services, () => conversation.storedId() === null)
  const composer = createComposer(conversation, newChat, services)
  const online = createOnline()
  const words = createMemo(() => connectionWords(link.link(), online()))
  const isEmpty = createMemo(() => conversation.storedId() === null && conversation.items().length === 0)
  watchAttention(conversation, services)
  onCleanup(whenIdle(() => void loadTranscript().then(({ warmMarkdown }) => warmMarkdown()).catch(() => undefined), 200))
  const [transcript, setTranscript] = createSignal<TranscriptHandle | null>(null)
  // After an update: back to the row that was read. Where its name has changed with the reload, the page opens at the end as always.
  let place: KeptPlace | null = takePlace()
  createEffect(() => {
    const list = transcript()
    if (!list || !place || !list.rows().some((row) => row.key === place?.key)) return
    list.toKey(place.key, place.offsetPx)
    place = null
  })
  const [finding, setFinding] = createSignal(false)
  const closeFind = (): void => { setFinding(false); composer.resume() }
  useLayer(finding, closeFind)
  // The second press belongs to the browser: it finds what is on the screen.
  useShortcut('find', () => { if (finding() || isEmpty()) return false; setFinding(true); return true })
  useShortcut('command', () => { if (composer.text() === '') composer.type('/'); composer.focus() })
  useShortcut('stop', () => { services.toast.hide(); conversation.order({ type: 'live.stop', payload: {} }); composer.resume() }, { when: () => conversation.running(), armed: () => services.toast.show('Press Escape again to stop the agent.') })

  const openAskIds = createMemo(() => conversation.view().asks.filter((ask) => ask.state !== 'expired' && ask.state !== 'answered').map((ask) => ask.askId))
  const askById = (id: string) => conversation.view().asks.find((ask) => ask.askId === id)
  createEffect(() => { if (!isEmpty() && services.route.draftKey() === props.chatKey) composer.begun() })

  return (
    <section class="chat" aria-label="Conversation">
      <Show when={facts.hermes()?.demo}><div class="strip-line demo"><Icon name="flask-conical" /><span>You are talking to the built-in demo. It follows a script and cannot think.</span><a class="lnk" href="#/agent">Connect a model</a></div></Show>
      <Show when={words().loud}>{(loud) => <div class="strip-line off" role="status"><Icon name="wifi-off" /><span>{loud()}</span><button type="button" class="btn s" onClick={() => link.nudge()}>Try now</button></div>}</Show>
      <Show when={link.link().kind === 'open' && conversation.view().link === 'down' && !isEmpty()}><div class="strip-line off" role="status"><Icon name="triangle-alert" /><span>The relay cannot reach Hermes. What you send waits on the relay.</span></div></Show>
      <Show when={conversation.view().owner === 'elsewhere'}>
        <div class="strip-line" role="status"><Icon name="users" /><span>Live in another program on the host. This page shows what it has stored.</span><button type="button" class="btn s" onClick={() => conversation.order({ type: 'live.takeover', payload: {} })}>Take over</button></div>
      </Show>
      <ChatBar conversation={conversation} empty={isEmpty()} newChat={newChat} onMenu={() => props.onMenu()} onFind={() => setFinding(true)} transcript={transcript()} />
      <Show when={finding()}><Late><Suspense><FindBar conversation={conversation} transcript={transcript()} onClose={closeFind} /></Suspense></Late></Show>
      <Show when={!isEmpty() || conversation.failure()} fallback={<div class="scroll"><div class="col"><EmptyChat onSuggest={(text) => composer.sendNow(text)} /></div></div>}>
        <Late><Suspense fallback={<div class="scroll"><div class="col"><Wait /></div></div>}>
          <TranscriptView conversation={conversation} sent={composer.sent()} onReady={setTranscript}>
            <Show when={conversation.waiting()}><Wait /></Show>
            <Show when={conversation.failure()}>{(failure) => <div class="turn-end error" role="alert"><Icon name="triangle-alert" /><span>{failure().say} {failure().next} <button type="button" class="lnk" onClick={() => void conversation.readRows()}>Try again</button></span></div>}</Show>
            <For each={openAskIds()}>{(id) => <Show when={askById(id)}>{(ask) => <AskCard ask={ask()} conversation={conversation} onAnswered={() => composer.resume()} />}</Show>}</For>
          </TranscriptView>
        </Suspense></Late>
      </Show>
      <Announcer conversation={conversation} />
      <Composer composer={composer} conversation={conversation} newChat={newChat} empty={isEmpty()} />
    </section>
  )
}

const Wait = () => <div class="ai" aria-busy="true"><div class="skel skel-row" /><div class="skel skel-row" /></div>
