/** One row of the transcript. */
import { createEffect, createMemo, createSignal, For, type JSX, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
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

type Drawer<Kind extends Row['kind']> = (props: { row: Extract<Row, { kind: Kind }>; conversation: Conversation }) => JSX.Element
const DRAWERS: { readonly [Kind in Row['kind']]: Drawer<Kind> } = {
  block: (props) => <div class="md" classList={{ glued: props.row.token.continues === true }}><Block token={props.row.token} level={props.row.level} live={props.row.live} /></div>,
  user: (props) => <UserMessage item={props.row.message} conversation={props.conversation} />,
  tools: (props) => <><ToolSteps tools={props.row.tools} asks={props.row.asks} ended={props.row.ended} /><For each={props.row.asks}>{(ask) => <ClosedAsk ask={ask} isTold />}</For></>,
  thinking: (props) => <Thought text={props.row.text} open={props.row.open} durationS={props.row.durationS} />,
  stamp: (props) => <div class="stamp">{stampWhen(props.row.atMs, Date.now())}</div>,
  notice: (props) => <div class="notice"><Icon name="bell" /><span>{props.row.text.split('\n')[0]}</span></div>,
  gap: () => <p class="gap"><Icon name="triangle-alert" />Part of this was missed; what is shown was read again.</p>,
  subagent: (props) => (
    <div class="helper-row"><Show when={props.row.block.phase === 'running'} fallback={<Icon name={props.row.block.phase === 'done' ? 'check' : 'x'} />}><span class="spin" /></Show><span>Helper {props.row.block.index + 1} of {props.row.block.count}: {props.row.block.goal}<Show when={props.row.block.note}> · {props.row.block.note}</Show></span></div>
  ),
  asks: (props) => <For each={props.row.asks}>{(ask) => <ClosedAsk ask={ask} isTold={false} />}</For>,
  lane: (props) => <Show when={props.conversation.asks().length === 0}><Lane turn={props.row.turn} /></Show>,
  foot: (props) => <Foot text={props.row.text} />,
  end: (props) => <TurnEnd outcome={props.row.outcome} onRetry={props.row.turnId === null ? null : () => props.conversation.retry(props.row.turnId as string)} />,
}

/** One drawer by kind, not a condition per kind: rows are made by the thousand. */
export function RowView(props: { row: Row; conversation: Conversation }) {
  const draw = createMemo(() => DRAWERS[props.row.kind] as Drawer<Row['kind']>)
  return <><Show when={props.row.who}>{(who) => <h2 class="sr">{who() === 'you' ? 'You' : 'Hermes'}</h2>}</Show><Dynamic component={draw()} row={props.row} conversation={props.conversation} /></>
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
