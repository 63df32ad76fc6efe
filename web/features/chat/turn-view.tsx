/** One turn of the agent: thinking, tools and words in the order in which they came, and how it ended. */
import { createMemo, For, Index, Match, Show, Switch } from 'solid-js'
import type { AskView } from '#protocol/turn/ask.ts'
import type { Block, ToolBlock, Turn, TurnOutcome } from '#protocol/turn/turn-fold.ts'
import { Icon } from '#web/ui/icon.tsx'
import { ClosedAsk, isAskOf } from './closed-ask.tsx'
import { MarkdownView } from './markdown/markdown-view.tsx'
import { createPacedText } from './paced-text.ts'
import { ToolSteps } from './tool-steps.tsx'

/** Neighbouring tools are one strip. */
type Group = { kind: 'tools'; tools: ToolBlock[] } | { kind: 'one'; block: Exclude<Block, ToolBlock> }
function groupBlocks(blocks: readonly Block[]): Group[] {
  const groups: Group[] = []
  for (const block of blocks) {
    const last = groups.at(-1)
    if (block.kind !== 'tool') groups.push({ kind: 'one', block })
    else if (last?.kind === 'tools') last.tools.push(block)
    else groups.push({ kind: 'tools', tools: [block] })
  }
  return groups
}

export function TurnView(props: { blocks: readonly Block[]; live: Turn | null; asking: boolean; asks: readonly AskView[] }) {
  const groups = createMemo(() => groupBlocks(props.blocks))
  const running = (): boolean => props.live !== null && props.live.phase !== 'ended'
  // Beside the tool that asked, so that question and answer are read together.
  const asksOf = (group: Group): readonly AskView[] => (group.kind === 'tools' && props.asks.length > 0 ? props.asks.filter((ask) => group.tools.some((tool) => isAskOf(tool, ask))) : [])
  const looseAsks = createMemo(() => { const placed = new Set(groups().flatMap(asksOf)); return props.asks.filter((ask) => !placed.has(ask)) })
  return (
    <div class="ai">
      <Show when={props.live?.gap}><p class="gap"><Icon name="triangle-alert" />Part of this was missed; what is shown was read again.</p></Show>
      <Index each={groups()}>{(group, index) => <GroupView group={group()} streaming={running() && index === groups().length - 1} asks={asksOf(group())} />}</Index>
      <For each={looseAsks()}>{(ask) => <ClosedAsk ask={ask} isTold={false} />}</For>
      <Show when={running() && !props.asking}><Lane turn={props.live} /></Show>
      <Show when={props.live?.outcome}>{(outcome) => <TurnEnd outcome={outcome()} />}</Show>
    </div>
  )
}

function GroupView(props: { group: Group; streaming: boolean; asks: readonly AskView[] }) {
  const block = <Kind extends Block['kind']>(kind: Kind) => createMemo(() => (props.group.kind === 'one' && props.group.block.kind === kind ? (props.group.block as Extract<Block, { kind: Kind }>) : null))
  const text = block('text')
  const thinking = block('thinking')
  const subagent = block('subagent')
  return (
    <Switch>
      <Match when={text()}>{(one) => <Words text={one().text} />}</Match>
      <Match when={thinking()}>{(one) => (
        <details class="fold"><summary><Icon name="chevron-right" />{props.streaming ? 'Thinking' : 'Thought'}</summary><div class="thought">{one().text}</div></details>
      )}</Match>
      <Match when={subagent()}>{(one) => (
        <div class="helper-row"><Show when={one().phase === 'running'} fallback={<Icon name={one().phase === 'done' ? 'check' : 'x'} />}><span class="spin" /></Show><span>Helper {one().index + 1} of {one().count}: {one().goal}<Show when={one().note}> · {one().note}</Show></span></div>
      )}</Match>
      <Match when={props.group.kind === 'tools' ? props.group.tools : null}>{(tools) => <><ToolSteps tools={tools()} /><For each={props.asks}>{(ask) => <ClosedAsk ask={ask} isTold />}</For></>}</Match>
    </Switch>
  )
}

function Words(props: { text: string }) {
  const paced = createPacedText(() => props.text)
  return <MarkdownView text={paced()} />
}

/** What goes on, until words say it themselves. */
function Lane(props: { turn: Turn | null }) {
  const words = (): string | null => {
    const turn = props.turn
    if (!turn) return null
    if (turn.stopping) return 'Stopping'
    const last = turn.blocks.at(-1)
    if (turn.caption || turn.status) return turn.caption || turn.status
    if (turn.phase === 'waiting' || !last) return 'Waiting for the agent'
    return last.kind === 'text' && !last.sealed ? null : last.kind === 'tool' && last.state === 'running' ? null : 'Working'
  }
  return <div class="lane"><Show when={words()}>{(said) => <><span class="spin" /><span>{said()}</span></>}</Show></div>
}

const END_WORDS = { complete: '', error: 'The turn failed.', interrupted: 'Stopped.', lost: 'Hermes lost this turn. Its commands may have run; look before you ask again.' } as const

export function TurnEnd(props: { outcome: TurnOutcome }) {
  const bad = (): boolean => props.outcome.status === 'error' || props.outcome.status === 'lost'
  const said = (): string => [END_WORDS[props.outcome.status], props.outcome.error, props.outcome.warning].filter(Boolean).join(' ')
  return <Show when={said()}><div class="turn-end" classList={{ error: bad() }}><Icon name={bad() ? 'triangle-alert' : props.outcome.status === 'interrupted' ? 'square' : 'bell'} /><span>{said()}</span></div></Show>
}
