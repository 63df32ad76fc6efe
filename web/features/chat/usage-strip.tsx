/** Figures of the turn, in mono, under the composer. The row keeps its height, so that nothing moves when they come. */
import { Show } from 'solid-js'
import type { Usage } from '#protocol/turn/turn-event.ts'
import type { TurnFigures } from './turn-figures.ts'

const short = (count: number): string => (count >= 1_000_000 ? `${(count / 1_000_000).toFixed(1)}M` : count >= 1_000 ? `${(count / 1_000).toFixed(1)}k` : String(count))

export const UsageStrip = (props: { usage: Usage | null; figures: TurnFigures }) => (
  <div class="strip">
    <Show when={props.usage && ((props.usage.input ?? 0) > 0 || (props.usage.output ?? 0) > 0) ? props.usage : null}>{(usage) => (
      <>
        <Show when={usage().input !== null}><span><b>{short(usage().input ?? 0)}</b> in</span></Show>
        <Show when={usage().output !== null}><span><b>{short(usage().output ?? 0)}</b> out</span></Show>
        <Show when={props.figures.tokensPerS}>{(rate) => <span><b>{Math.round(rate())}</b> tok/s</span>}</Show>
        <Show when={props.figures.firstWordS !== null}><span><b>{(props.figures.firstWordS ?? 0).toFixed(1)} s</b> first word</span></Show>
        <Show when={usage().contextUsed !== null && usage().contextMax !== null}><span><b>{short(usage().contextUsed ?? 0)}</b> of {short(usage().contextMax ?? 0)}</span></Show>
      </>
    )}</Show>
  </div>
)
