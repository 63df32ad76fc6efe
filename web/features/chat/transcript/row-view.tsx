/** One row of the transcript. */
import { createEffect, createMemo, createSignal, For, Match, Show, Switch } from 'solid-js'
import type { Turn, TurnOutcome } from '#protocol/turn/turn-fold.ts'
import { isShortDetail, turnFailure } from '#web/core/transcript/turn-failure.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { Icon } from '#web/ui/icon.tsx'
import { stampWhen } from '#web/ui/when.ts'
import { ClosedAsk } from '../closed-ask.tsx'
import { CopyButton } from '../copy-button.tsx'
import type { Conversation } from '../conversation.ts'
import { Block } from '../markdown/markdown-view.tsx'
import { ToolSteps } from '../tool-steps.tsx'
import { UserMessage } from '../user-message.tsx'
import type { Row } from './row.ts'

export function RowView(props: { row: Row; conversation: Conversation }) {
  const as = <Kind extends Row['kind']>(kind: Kind) => createMemo(() => (props.row.kind === kind ? (props.row as Extract<Row, { kind: Kind }>) : null))
  const block = as('block')
  return (
    <>
      <Show when={props.row.who}>{(who) => <h2 class="sr">{who() === 'you' ? 'You' : 'Hermes'}</h2>}</Show>
      <Switch>
        <Match when={block()}>{(row) => <div class="md" classList={{ glued: row().token.continues === true }}><Block token={row().token} level={row().level} live={row().live} /></div>}</Match>
        <Match when={as('user')()}>{(row) => <UserMessage item={row().message} conversation={props.conversation} />}</Match>
        <Match when={as('tools')()}>{(row) => <><ToolSteps tools={row().tools} asks={row().asks} ended={row().ended} /><For each={row().asks}>{(ask) => <ClosedAsk ask={ask} isTold />}</For></>}</Match>
        <Match when={as('thinking')()}>{(row) => <Thought text={row().text} open={row().open} durationS={row().durationS} />}</Match>
        <Match when={as('stamp')()}>{(row) => <div class="stamp">{stampWhen(row().atMs, Date.now())}</div>}</Match>
        <Match when={as('notice')()}>{(row) => <div class="notice"><Icon name="bell" /><span>{row().text.split('\n')[0]}</span></div>}</Match>
        <Match when={as('gap')()}><p class="gap"><Icon name="triangle-alert" />Part of this was missed; what is shown was read again.</p></Match>
        <Match when={as('subagent')()}>{(row) => (
          <div class="helper-row"><Show when={row().block.phase === 'running'} fallback={<Icon name={row().block.phase === 'done' ? 'check' : 'x'} />}><span class="spin" /></Show><span>Helper {row().block.index + 1} of {row().block.count}: {row().block.goal}<Show when={row().block.note}> · {row().block.note}</Show></span></div>
        )}</Match>
        <Match when={as('asks')()}>{(row) => <For each={row().asks}>{(ask) => <ClosedAsk ask={ask} isTold={false} />}</For>}</Match>
        <Match when={as('lane')()}>{(row) => <Show when={props.conversation.asks().length === 0}><Lane turn={row().turn} /></Show>}</Match>
        <Match when={as('foot')()}>{(row) => <Foot text={row().text} />}</Match>
        <Match when={as('end')()}>{(row) => <TurnEnd outcome={row().outcome} onRetry={row().turnId === null ? null : () => props.conversation.retry(row().turnId as string)} />}</Match>
      </Switch>
    </>
  )
}

/** Open while it goes on, folded when the answer begins, unless the person chose otherwise. */
function Thought(props: { text: string; open: boolean; durationS: number | null }) {
  let body!: HTMLDivElement
  const [chosen, setChosen] = createSignal<boolean | null>(null)
  const open = (): boolean => chosen() ?? props.open
  createEffect(() => { props.text; if (props.open && open()) body.scrollTop = 1e9 })
  return (
    <details class="fold" open={open()}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button by itself. */}
      <summary onClick={(event) => { event.preventDefault(); setChosen(!open()) }}><Icon name="chevron-right" />{props.open ? 'Thinking' : props.durationS === null ? 'Thought' : `Thought for ${Math.max(1, Math.round(props.durationS))} s`}</summary>
      <div class="thought" ref={body} tabindex={open() ? 0 : -1}>{props.text}</div>
    </details>
  )
}

/** What goes on, until words say it themselves. */
function Lane(props: { turn: Turn }) {
  const words = (): string | null => {
    const { turn } = props
    if (turn.stopping) return 'Stopping'
    const last = turn.blocks.at(-1)
    if (turn.caption || turn.status) return turn.caption || turn.status
    if (turn.phase === 'waiting' || !last) return 'Waiting for the agent'
    return last.kind === 'text' && !last.sealed ? null : last.kind === 'tool' && last.state === 'running' ? null : 'Working'
  }
  return <div class="lane"><Show when={words()}>{(said) => <><span class="spin" /><span>{said()}</span></>}</Show></div>
}

/** Below a finished answer; it keeps its height, so that nothing moves when a pointer comes. */
const Foot = (props: { text: () => string }) => <div class="foot-row"><CopyButton label="Copy answer" text={props.text} /></div>

const END_WORDS = { complete: '', interrupted: 'Stopped.', lost: 'Hermes lost this turn. Its commands may have run; look before you ask again.' } as const

export function TurnEnd(props: { outcome: TurnOutcome; onRetry: (() => void) | null }) {
  const facts = useRelayFacts()
  const bad = (): boolean => props.outcome.status === 'error' || props.outcome.status === 'lost'
  const failure = createMemo(() => (props.outcome.status === 'error' ? turnFailure(props.outcome.error, facts.isSmallAgent()) : null))
  const said = (): string => {
    const { status, error, warning } = props.outcome
    const failed = failure()
    return (failed ? [failed.say, failed.next, warning] : [status === 'error' ? '' : END_WORDS[status], error, warning]).filter(Boolean).join(' ')
  }
  return (
    <Show when={said()}>
      <div class="turn-end" classList={{ error: bad() }}>
        <Icon name={bad() ? 'triangle-alert' : props.outcome.status === 'interrupted' ? 'square' : 'bell'} />
        <div class="said"><span>{said()}</span>
          <Show when={failure()?.detail}>{(detail) => (
            <Show when={isShortDetail(detail())} fallback={<details class="fold"><summary><Icon name="chevron-right" />What the agent was told</summary><p class="told">{detail()}</p></details>}><p class="told">{detail()}</p></Show>
          )}</Show>
        </div>
        <Show when={bad() && props.onRetry}>{(retry) => <button type="button" class="btn s" onClick={() => retry()()}>Retry</button>}</Show>
      </div>
    </Show>
  )
}
