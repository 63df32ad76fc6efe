/** What a screen reader hears of a conversation: questions at once, answers by the sentence, and how a turn ended (screens.md 23). */
import { createEffect, createSignal, on, onCleanup } from 'solid-js'
import { sentenceEnd, spokenWords } from '#web/core/transcript/spoken.ts'
import { turnFailure } from '#web/core/transcript/turn-failure.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import type { Conversation } from './conversation.ts'

/** Between two announcements of one answer, in ms: a reader that is interrupted says nothing whole. */
const PAUSE_MS = 1_200
const END_WORDS = { complete: 'The agent has finished.', interrupted: 'The turn was stopped.', lost: 'Hermes lost this turn.' } as const

export function Announcer(props: { conversation: Conversation }) {
  const facts = useRelayFacts()
  const [polite, setPolite] = createSignal('')
  const [urgent, setUrgent] = createSignal('')
  let turnId = ''
  let told = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(timer))
  const words = (): string => props.conversation.view().turn?.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('\n\n') ?? ''
  const tell = (whole: boolean): void => {
    const text = words()
    const end = whole ? text.length : sentenceEnd(text, told)
    if (end <= told) return
    const said = spokenWords(text.slice(told, end))
    told = end
    if (said) setPolite(said)
  }
  const later = (): void => { timer ??= setTimeout(() => { timer = undefined; tell(false) }, PAUSE_MS) }
  createEffect(on(() => props.conversation.view().turn, (turn, before) => {
    if (!turn) return
    if (turn.turnId !== turnId) {
      turnId = turn.turnId
      told = before === undefined ? words().length : 0 // What was there when the page opened is read by whoever wants to.
      if (turn.phase !== 'ended') setPolite('The agent is working.')
    }
    if (turn.phase !== 'ended') return later()
    if (before?.turnId !== turn.turnId || before.phase === 'ended') return
    clearTimeout(timer)
    timer = undefined
    tell(true)
    const status = turn.outcome?.status ?? 'complete'
    const failure = turnFailure(turn.outcome?.error ?? null, facts.isSmallAgent())
    const end = status === 'error' ? [failure.say, failure.next].filter(Boolean).join(' ') : END_WORDS[status]
    if (status === 'error' || status === 'lost') setPolite('')
    if (status === 'error' || status === 'lost') setUrgent(end)
    else setTimeout(() => setPolite(end), PAUSE_MS)
  }))
  createEffect(on(() => props.conversation.asks()[0]?.askId, () => { const ask = props.conversation.asks()[0]; setUrgent(ask ? `The agent asks: ${ask.title} ${ask.command ?? ''}` : '') }))
  return <><div class="sr" role="status" aria-live="polite">{polite()}</div><div class="sr" role="alert">{urgent()}</div></>
}
