/** A button that copies and says so for a moment; not there where the browser has no clipboard (plain http). */
import { createSignal, Show } from 'solid-js'
import { Icon } from '#web/ui/icon.tsx'

const COPIED_MS = 1_500

export function CopyButton(props: { label: string; text: () => string }) {
  const [copied, setCopied] = createSignal(false)
  const copy = (): void => { void navigator.clipboard.writeText(props.text()).then(() => { setCopied(true); setTimeout(() => setCopied(false), COPIED_MS) }).catch(() => undefined) }
  return <Show when={'clipboard' in navigator}><button type="button" class="icon" aria-label={copied() ? 'Copied' : props.label} title={props.label} onClick={copy}><Icon name={copied() ? 'check' : 'copy'} /></button></Show>
}
