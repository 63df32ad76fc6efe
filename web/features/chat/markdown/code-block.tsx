/** A fenced block with its language and a way to copy exactly its text. */
import { createSignal, Show } from 'solid-js'
import { Icon } from '#web/ui/icon.tsx'

const COPIED_MS = 1_500

export function CodeBlock(props: { text: string; lang: string }) {
  const [copied, setCopied] = createSignal(false)
  const copy = (): void => { void navigator.clipboard.writeText(props.text).then(() => { setCopied(true); setTimeout(() => setCopied(false), COPIED_MS) }) }
  return (
    <div class="codebox">
      <div class="top"><span>{props.lang.split(/\s/)[0] || 'text'}</span><span class="sp" /><Show when={'clipboard' in navigator}><button type="button" class="icon" aria-label={copied() ? 'Copied' : 'Copy code'} onClick={copy}><Icon name={copied() ? 'check' : 'copy'} /></button></Show></div>
      <pre tabindex="0"><code>{props.text}</code></pre>
    </div>
  )
}
