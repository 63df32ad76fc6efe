/** What answers in the chats: a Hermes of the relay's own, somebody's model, or the demo. */
import '#web/ui/page.css'
import './agent.css'
import { createMemo, Show } from 'solid-js'
import type { AgentState } from '#protocol/agent/agent-state.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { PageHeading } from '#web/ui/page-heading.tsx'
import { Badge, ListRow } from '#web/ui/parts.tsx'
import { type AgentStore, createAgentStore } from './agent-store.ts'
import { isBusy, nowWords, percentOf } from './agent-words.ts'
import { ModelCard } from './model-card.tsx'

export default function AgentPage(props: { onMenu(): void }) {
  const { call, link } = useServices()
  const facts = useRelayFacts()
  const store = createAgentStore(call, () => link.link().kind === 'open')
  return (
    <div class="page-scroll"><div class="body agent-page">
      <div class="top"><IconButton icon="menu" class="menu" label="Menu" onClick={() => props.onMenu()} /><PageHeading words="Agent" /></div>
      <p class="sub">What answers in your chats on {facts.host() ?? 'this relay'}.</p>
      <Show when={store.failure()}>{(failure) => <p class="notice bad" role="alert"><Icon name="triangle-alert" /><span>{failure().say} {failure().next}</span></p>}</Show>
      <Show when={store.state()} fallback={<Show when={!store.failure()}><Wait /></Show>}>{(state) => <Cards state={state()} store={store} />}</Show>
    </div></div>
  )
}

/** The cards as they will stand, without their words: each bar is a line of text, a field or a button. */
const Wait = () => (
  <div class="wait" role="status" aria-busy="true" aria-label="Looking at the agent">
    <div class="card"><div class="head"><i class="skel name" /></div><div class="li"><i class="skel face" /><div class="m"><i class="skel line" /><i class="skel half" /></div><i class="skel mark" /></div></div>
    <div class="card"><div class="head"><i class="skel name" /><i class="skel deed" /></div><div class="li lines"><i class="skel" /><i class="skel narrow" /><i class="skel narrow half" /></div></div>
    <div class="card"><div class="head"><i class="skel name" /></div>
      <div class="li model-form">
        <div class="lines"><i class="skel" /><i class="skel narrow" /><i class="skel half" /></div>
        <div class="servers"><i class="skel server" /><i class="skel server" /><i class="skel server" /><i class="skel server" /></div>
        <div class="pair"><div class="lines"><i class="skel label" /><i class="skel box" /><i class="skel half" /></div><div class="lines"><i class="skel label" /><i class="skel box" /><i class="skel" /><i class="skel half" /></div></div>
        <div class="pair last"><div class="lines"><i class="skel label" /><i class="skel box" /></div><div class="deeds"><i class="skel deed" /><i class="skel deed" /></div></div>
      </div>
    </div>
    <div class="card"><div class="head"><i class="skel name" /><i class="skel mark" /></div><div class="li lines"><i class="skel" /><i class="skel narrow half" /></div></div>
  </div>
)

function Cards(props: { state: AgentState; store: AgentStore }) {
  const failed = createMemo(() => (isBusy(props.state) ? null : props.state.failed))
  return (
    <>
      <Show when={failed()}>{(why) => <p class="notice bad" role="alert"><Icon name="triangle-alert" /><span>{why().say} {why().next}</span></p>}</Show>
      <Show when={!isBusy(props.state) && props.state.managed.no_model}>{(why) => <p class="notice bad" role="alert"><Icon name="triangle-alert" /><span>{why().say} {why().next}</span></p>}</Show>
      <NowCard state={props.state} />
      <Show when={props.state.can_change} fallback={<p class="notice"><Icon name="info" /><span>A setting of the relay decides this. Start it without <code>--hermes</code> and <code>--provider</code> to choose here.</span></p>}>
        <InstallCard state={props.state} store={props.store} />
        <ModelCard state={props.state} store={props.store} />
        <DemoCard state={props.state} store={props.store} />
      </Show>
    </>
  )
}

function NowCard(props: { state: AgentState }) {
  const { route } = useServices()
  const words = createMemo(() => nowWords(props.state))
  return (
    <section class="card" aria-label="Answers now">
      <div class="head"><h2>Answers now</h2><Show when={props.state.choice.kind !== 'demo' && !isBusy(props.state)}><Button kind="primary" icon="message-circle" onClick={() => route.openDraft()}>Start a chat</Button></Show></div>
      <ListRow title={words().title} hint={words().hint} lead={<Icon name={props.state.choice.kind === 'demo' ? 'flask-conical' : 'bot'} />}><Badge tone={words().tone}>{words().badge}</Badge></ListRow>
      <Show when={!props.state.can_change && isBusy(props.state)}><InstallProgress state={props.state} /></Show>
    </section>
  )
}

function InstallCard(props: { state: AgentState; store: AgentStore }) {
  const isHere = (): boolean => props.state.choice.kind === 'managed'
  const isInstalling = (): boolean => props.state.managed.wanted && isBusy(props.state)
  const hint = (): string => {
    if (props.state.managed.installed) return 'It is installed already. Starting it takes a few seconds.'
    if (!props.state.python.ok) return props.state.python.say
    return `The whole agent, about 250 MB in the relay's data folder, with ${props.state.python.say}. One to three minutes; what answers now stays until it is ready.`
  }
  return (
    <section class="card" aria-label="Install Hermes here">
      <div class="head"><h2>Install Hermes here</h2>
        <Show when={!isHere() && !isInstalling()}><Button kind="primary" disabled={(!props.state.python.ok && !props.state.managed.installed) || isBusy(props.state)} busy={props.store.wishing() === 'managed'} onClick={() => void props.store.wish({ kind: 'managed' })}>{props.state.managed.installed ? 'Start' : 'Install'}</Button></Show>
        <Show when={isHere()}><Badge tone="ok">in use</Badge></Show>
      </div>
      <Show when={isInstalling()} fallback={<Show when={!isHere()} fallback={<p class="li"><small>The relay starts it, looks after it, and takes it along when it ends.</small></p>}>
        <p class="li" classList={{ missing: !props.state.python.ok && !props.state.managed.installed }}><small>{hint()}</small></p>
      </Show>}><InstallProgress state={props.state} /></Show>
    </section>
  )
}

function InstallProgress(props: { state: AgentState }) {
  const progress = () => props.state.managed.progress ?? { done: 0, total: 1, line: 'Getting ready' }
  return (
    <div class="li install">
      <progress max="100" value={percentOf(progress())} aria-label="Installing Hermes" />
      <p><span role="status">{progress().line}</span><b>{percentOf(progress())} %</b></p>
    </div>
  )
}

function DemoCard(props: { state: AgentState; store: AgentStore }) {
  const isDemo = (): boolean => props.state.choice.kind === 'demo'
  return (
    <section class="card" aria-label="The demo">
      <div class="head"><h2>{isDemo() ? 'Stay with the demo' : 'Back to the demo'}</h2>
        <Show when={!isDemo()} fallback={<Badge tone="warn">in use</Badge>}><Button disabled={isBusy(props.state)} busy={props.store.wishing() === 'demo'} onClick={() => void props.store.wish({ kind: 'demo' })}>Use the demo</Button></Show>
      </div>
      <p class="li"><small>It shows what the app can do, follows a script and cannot think. Its conversations end with the relay.</small></p>
    </section>
  )
}
