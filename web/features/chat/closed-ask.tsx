/** A question that is over: who answered what, or that nobody did, in one quiet line of its turn. */
import './asks.css'
import { Show } from 'solid-js'
import type { AskView } from '#protocol/turn/ask.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { Icon } from '#web/ui/icon.tsx'
import { ASK_ICONS, choiceWords } from './ask-words.ts'

export function ClosedAsk(props: { ask: AskView; isTold: boolean }) {
  const facts = useRelayFacts()
  const isUnanswered = (): boolean => props.ask.state === 'expired'
  const said = (): string => {
    if (isUnanswered()) return 'Not answered'
    const what = props.ask.kind === 'approval' && props.ask.answer ? choiceWords(props.ask.answer, facts.isSmallAgent()) : props.ask.answer
    return `Answered on ${props.ask.answeredBy ?? 'another device'}${what ? `: ${what}` : ''}`
  }
  return (
    <div class="done-line" classList={{ unanswered: isUnanswered() }}>
      <Show when={isUnanswered()} fallback={<Icon name={ASK_ICONS[props.ask.kind]} />}><Icon name="clock" /></Show>
      <span>{props.isTold ? '' : `${props.ask.command ?? props.ask.title} · `}{said()}</span>
    </div>
  )
}
