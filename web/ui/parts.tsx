/** Small parts of pages: field with its words, badge, keys, a row of a card, a frame around code. */
import { createUniqueId, For, type JSX, Show } from 'solid-js'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

export type FieldAttributes = { id: string; class: string; 'aria-describedby': string | undefined; 'aria-invalid': 'true' | undefined }

/** `children` gets what ties the input to its label, hint and error. */
export function Field(props: { label: string; hint?: string; error?: string | null; children: (attributes: FieldAttributes) => JSX.Element }) {
  const id = createUniqueId()
  const attributes: FieldAttributes = {
    id, class: 'field',
    get 'aria-describedby'() { return props.error || props.hint ? `${id}-more` : undefined },
    get 'aria-invalid'() { return props.error ? ('true' as const) : undefined },
  }
  return (
    <div class="labelled-field">
      <label for={id}>{props.label}</label>
      {props.children(attributes)}
      <Show when={props.error} fallback={<Show when={props.hint}><p id={`${id}-more`}>{props.hint}</p></Show>}>{(error) => <p id={`${id}-more`} class="bad" role="alert"><Icon name="triangle-alert" />{error()}</p>}</Show>
    </div>
  )
}

export const Badge = (props: { tone?: 'ok' | 'warn'; children: JSX.Element }) => <span class={`badge ${props.tone ?? ''}`}>{props.children}</span>
export const Kbd = (props: { keys: readonly string[] }) => <span class="keys-of"><For each={props.keys}>{(key) => <kbd>{key}</kbd>}</For></span>

/** A row of a card: what it is, a word on it, and what can be done at its end. */
export const ListRow = (props: { title: string; hint?: JSX.Element; lead?: JSX.Element; children?: JSX.Element }) => (
  <div class="li">{props.lead}<div class="m"><b>{props.title}</b><Show when={props.hint}><small>{props.hint}</small></Show></div>{props.children}</div>
)

export const CodeFrame = (props: { name: string; code: string; onCopy?: () => void }) => (
  <figure class="code-frame">
    <figcaption><span>{props.name}</span><Show when={props.onCopy}>{(copy) => <IconButton icon="copy" label="Copy" onClick={() => copy()()} />}</Show></figcaption>
    <pre tabindex="0"><code>{props.code}</code></pre>
  </figure>
)
