/** Tools as one quiet strip; each step opens to what went in and what came out. */
import { createMemo, createSignal, For, Index, Show } from 'solid-js'
import type { AskView } from '#protocol/turn/ask.ts'
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'
import { Icon } from '#web/ui/icon.tsx'
import { readAnsi } from './ansi.ts'
import { type StepMark, stepMark } from './step-mark.ts'
import { saysAll, toolSummary } from './tool-summary.ts'

/** Characters of an output that are drawn at first. */
const SHOWN_CHARS = 4_000

type Strip = { tools: readonly ToolBlock[]; asks: readonly AskView[]; ended: boolean }
export const ToolSteps = (props: Strip) => <div class="steps"><Index each={props.tools}>{(tool) => <Step tool={tool()} mark={stepMark(tool(), props.asks, props.ended)} />}</Index></div>

function Step(props: { tool: ToolBlock; mark: StepMark }) {
  const [open, setOpen] = createSignal(false)
  const line = createMemo(() => toolSummary(props.tool))
  const args = (): string | null => (props.tool.args !== null && saysAll(props.tool.args, line()) ? null : props.tool.args)
  return (
    <details class="step-wrap" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="step">
        <StateMark mark={props.mark} /><span class="n">{props.tool.name}</span><span class="a">{line()}</span>
        <span>{props.tool.durationS === null ? '' : `${props.tool.durationS.toFixed(1)} s`}</span>
      </summary>
      <Show when={open()}>
        <div class="out">
          <Show when={args()}>{(shown) => <><p class="cap">Arguments</p><Output text={pretty(shown())} /></>}</Show>
          <Show when={props.tool.result}>{(result) => <><Show when={args()}><p class="cap">Result</p></Show><Output text={result()} /></>}</Show>
          <Show when={props.tool.diff}>{(diff) => <><p class="cap">Changes</p><Output text={diff()} isDiff /></>}</Show>
          <Show when={props.tool.blocked}><p class="cap">Blocked</p><p class="err">This was not allowed to run.</p></Show>
          <Show when={props.tool.error}>{(error) => <><p class="cap">Error</p><div class="err"><Output text={error()} /></div></>}</Show>
          <Show when={!props.tool.args && !props.tool.result && !props.tool.error && !props.tool.blocked}><p>{NOTHING_WORDS[props.mark]}</p></Show>
        </div>
      </Show>
    </details>
  )
}

const NOTHING_WORDS: Readonly<Record<StepMark, string>> = { preparing: 'Nothing yet.', running: 'Nothing yet.', done: 'It said nothing.', failed: 'It said nothing.', unanswered: 'Not answered.', unfinished: 'It did not end before its turn did.' }
const MARK_WORDS: Readonly<Record<StepMark, string>> = { preparing: 'preparing', running: 'running', done: 'done', failed: 'failed', unanswered: 'not answered', unfinished: 'not finished' }
const MARKS = { done: { icon: 'check', tone: 'good' }, failed: { icon: 'x', tone: 'bad' }, unanswered: { icon: 'clock', tone: 'open-end' }, unfinished: { icon: 'minus', tone: 'open-end' } } as const

function StateMark(props: { mark: StepMark }) {
  const shown = () => (props.mark === 'preparing' || props.mark === 'running' ? null : MARKS[props.mark])
  return (
    <span>
      <Show when={shown()} fallback={<span class="spin" />}>{(mark) => <span class={mark().tone}><Icon name={mark().icon} /></span>}</Show>
      <span class="sr">{MARK_WORDS[props.mark]}</span>
    </span>
  )
}

function Output(props: { text: string; isDiff?: boolean }) {
  const [whole, setWhole] = createSignal(false)
  const pieces = createMemo(() => readAnsi(paintDiff(whole() ? props.text : props.text.slice(0, SHOWN_CHARS), props.isDiff === true)))
  return (
    <>
      <pre tabindex="0"><For each={pieces()}>{(piece) => <span class={`${piece.colour === null ? '' : `ansi-${piece.colour}`} ${piece.bold ? 'ansi-b' : ''}`}>{piece.text}</span>}</For></pre>
      <Show when={!whole() && props.text.length > SHOWN_CHARS}><button type="button" class="lnk" onClick={() => setWhole(true)}>Show all {props.text.length.toLocaleString()} characters</button></Show>
    </>
  )
}

/** Changes that come without colours get those of the terminal. */
const paintDiff = (text: string, isDiff: boolean): string => (!isDiff || text.includes('\u001b[') ? text : text.replace(/^\+.*$/gm, '\u001b[32m$&\u001b[0m').replace(/^-.*$/gm, '\u001b[31m$&\u001b[0m').replace(/^@@.*$/gm, '\u001b[36m$&\u001b[0m'))

function pretty(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2)
  } catch {
    return args
  }
}
