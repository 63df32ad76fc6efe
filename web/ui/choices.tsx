/** Switch, segmented choice, chip: three ways to say what is on. Native inputs underneath, so the keyboard is the browser's. */
import './choices.css'
import { createUniqueId, For, type JSX } from 'solid-js'

export const Switch = (props: { label: string; on: boolean; disabled?: boolean; onChange(on: boolean): void }) => (
  <button type="button" role="switch" class="sw" aria-checked={props.on ? 'true' : 'false'} aria-label={props.label} disabled={props.disabled} onClick={() => props.onChange(!props.on)} />
)

/** Few choices that exclude each other, all in sight. */
export function Segmented<Value extends string | number>(props: { label: string; value: Value; choices: readonly { value: Value; label: string }[]; onChange(value: Value): void }) {
  const name = createUniqueId()
  return (
    <div class="seg" role="radiogroup" aria-label={props.label}>
      <For each={props.choices}>{(choice) => (
        <label><input class="sr" type="radio" name={name} checked={choice.value === props.value} onChange={() => props.onChange(choice.value)} /><span>{choice.label}</span></label>
      )}</For>
    </div>
  )
}

export const Chip = (props: { on: boolean; onClick(): void; children: JSX.Element }) => <button type="button" class="chip" classList={{ on: props.on }} aria-pressed={props.on ? 'true' : 'false'} onClick={() => props.onClick()}>{props.children}</button>
