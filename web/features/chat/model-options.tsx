/** The models that may be chosen, by provider; the value of each is its provider and its name. */
import { createMemo, For } from 'solid-js'
import type { ModelChoice } from '#web/net/upstream/dashboard.ts'

export const modelValue = (provider: string, model: string): string => JSON.stringify([provider, model])
export const readModelValue = (value: string): { provider: string; model: string } => { const [provider, model] = JSON.parse(value) as [string, string]; return { provider, model } }

export function ModelOptions(props: { choices: readonly ModelChoice[] }) {
  const providers = createMemo(() => [...new Set(props.choices.map((choice) => choice.providerName))])
  return (
    <For each={providers()}>{(provider) => (
      <optgroup label={provider}><For each={props.choices.filter((choice) => choice.providerName === provider)}>{(choice) => <option value={modelValue(choice.provider, choice.model)}>{choice.model}</option>}</For></optgroup>
    )}</For>
  )
}
