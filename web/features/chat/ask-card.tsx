/** One question of the agent: the only warm thing on the screen until a person answers. */
import './asks.css'
import { createSignal, For, Match, Show, Switch } from 'solid-js'
import type { AnswerBody } from '#protocol/live/live-frame.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import { createTicker } from '#web/platform/presence.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { Icon } from '#web/ui/icon.tsx'
import { minutes } from '#web/ui/when.ts'
import { ASK_ICONS as ICONS, choiceWords } from './ask-words.ts'
import type { Conversation } from './conversation.ts'
import { WaitForMe } from './wait-for-me.tsx'

export function AskCard(props: { ask: AskView; conversation: Conversation; onAnswered(): void }) {
  const [sending, setSending] = createSignal(false)
  const now = createTicker(1_000)
  const leftMs = (): number => props.ask.deadlineAtMs - (now() + props.conversation.skewMs())
  const isOpen = (): boolean => props.ask.state === 'open' || props.ask.state === 'overdue'
  const busy = (): boolean => sending() || props.ask.state === 'answering'
  const overdue = (): boolean => props.ask.state === 'overdue' || leftMs() <= 0
  const titleId = (): string => `ask-${props.ask.askId}`
  const answer = (body: AnswerBody): void => {
    setSending(true)
    props.conversation.order({ type: 'live.answer', payload: { ask_id: props.ask.askId, answer: body } }, () => setSending(false))
    props.onAnswered()
  }
  return (
    <Show when={isOpen() || props.ask.state === 'answering'}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry the layout of the card. */}
      <div class="askcard" role="group" aria-labelledby={titleId()}>
        <h2><Icon name={ICONS[props.ask.kind]} /><span id={titleId()}>{props.ask.title}</span><span class="due">{overdue() ? 'probably expired' : `about ${minutes(leftMs())} left`}</span></h2>
        <Show when={props.ask.description}><p class="why">{props.ask.description}</p></Show>
        <Show when={props.ask.envVar}><p class="why">Kept as <code class="mono">{props.ask.envVar}</code></p></Show>
        <Show when={props.ask.command}><section class="cmd" tabindex="0" aria-label="Command">{props.ask.command}</section></Show>
        <Show when={props.ask.choices.length > 0}><Choices ask={props.ask} busy={busy()} onChoose={(choice) => answer({ kind: 'choice', choice })} /></Show>
        <Switch>
          <Match when={props.ask.kind === 'clarify' && props.ask.freeText}><Free label="Your answer" secret={false} busy={busy()} onAnswer={(text) => answer({ kind: 'text', text })} /></Match>
          <Match when={props.ask.kind === 'sudo'}><Free label="Administrator password" secret busy={busy()} onAnswer={(value) => answer({ kind: 'value', value })} /></Match>
          <Match when={props.ask.kind === 'secret'}><Free label="Value" secret busy={busy()} onAnswer={(value) => answer({ kind: 'value', value })} /></Match>
        </Switch>
        <div class="foot">
          <Show when={overdue()}><span>The agent may have stopped waiting. You can still answer.</span></Show>
          <Show when={busy()}><span>Answering</span></Show>
          <Show when={props.ask.kind === 'approval'}><WaitForMe /></Show>
        </div>
      </div>
    </Show>
  )
}

function Choices(props: { ask: AskView; busy: boolean; onChoose(choice: string): void }) {
  const facts = useRelayFacts()
  const isApproval = (): boolean => props.ask.kind === 'approval'
  const isFirst = (choice: string, at: number): boolean => isApproval() && at === 0 && choice !== 'deny'
  return (
    <div class="btns">
      <For each={props.ask.choices}>{(choice, index) => (
        <button type="button" class="btn" classList={{ p: isFirst(choice, index()), d: choice === 'deny' }} disabled={props.busy} onClick={() => props.onChoose(choice)}>
          <Show when={isFirst(choice, index())}><Icon name="check" /></Show>{isApproval() ? choiceWords(choice, facts.isSmallAgent()) : choice}
        </button>
      )}</For>
    </div>
  )
}

function Free(props: { label: string; secret: boolean; busy: boolean; onAnswer(text: string): void }) {
  const [text, setText] = createSignal('')
  const send = (event: SubmitEvent): void => { event.preventDefault(); if (text() !== '') { props.onAnswer(text()); if (props.secret) setText('') } }
  return (
    <form onSubmit={send}>
      <input class="field" type={props.secret ? 'password' : 'text'} autocomplete="off" aria-label={props.label} placeholder={props.label} value={text()} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" class="btn p" disabled={props.busy || text() === ''}>Answer</button>
    </form>
  )
}
