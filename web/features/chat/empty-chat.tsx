/** A conversation before its first word: what this does, and work to start with. */
import './empty.css'
import { createMemo, createSignal, For, onMount, Show } from 'solid-js'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import { suggestionsFor } from './suggestions.ts'

export function EmptyChat(props: { onSuggest(text: string): void }) {
  const facts = useRelayFacts()
  const suggestions = createMemo(() => suggestionsFor(facts.hermes()))
  return (
    <div class="empty">
      <div class="sphere" aria-hidden="true" />
      <h2>What should we get done?</h2>
      <p>It works on your machine, shows every step, and asks before dangerous commands.</p>
      <div class="sugg" classList={{ four: suggestions().length === 4 }}><For each={suggestions()}>{(one) => <button type="button" onClick={() => props.onSuggest(one.text)}><Icon name={one.icon} />{one.label ?? one.text}</button>}</For></div>
      <Welcome />
    </div>
  )
}

/** Shown once to a browser that has just become a device: for what and for how long. */
function Welcome() {
  const { storage, base } = useServices()
  const facts = useRelayFacts()
  const [expiresAtMs, setExpires] = createSignal<number | null | undefined>(undefined)
  onMount(() => { void storage.devices.get(base).then((device) => { if (device && !device.welcomed) setExpires(device.expiresAtMs) }).catch(() => undefined) })
  const dismiss = async (): Promise<void> => {
    setExpires(undefined)
    await storage.devices.change(base, (device) => ({ ...device, welcomed: true })).catch(() => undefined)
  }
  const days = (): string => { const at = expiresAtMs(); return at ? `for ${Math.max(1, Math.round((at - Date.now()) / 86_400_000))} days` : 'until it is signed out' }
  return (
    <Show when={expiresAtMs() !== undefined}>
      <div class="welcome" role="status">
        <Icon name="shield-check" />
        <div class="m"><b>This browser works with {facts.host() ?? 'your machine'} {days()}</b><p>You ask and approve here, the relay guards the door, Hermes does the work on that machine. Under Devices you can end this, or add another one.</p></div>
        <button type="button" class="icon" aria-label="Close" onClick={() => void dismiss()}><Icon name="x" /></button>
      </div>
    </Show>
  )
}
