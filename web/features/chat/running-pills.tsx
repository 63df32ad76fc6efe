/** Model and approvals of a conversation that has begun: what Hermes confirmed, and what was chosen for the next message. */
import { createResource, createSignal, Show } from 'solid-js'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { useShortcut } from '#web/state/shortcuts.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { Conversation } from './conversation.ts'
import { ModelOptions, readModelValue } from './model-options.tsx'

export function RunningPills(props: { conversation: Conversation }) {
  const { dashboard, link } = useServices()
  const facts = useRelayFacts()
  const [wanted, setWanted] = createSignal(false)
  const [choices] = createResource(() => wanted() || null, () => dashboard.modelChoices())
  let select!: HTMLSelectElement
  const view = () => props.conversation.view()
  const confirmed = (): string => view().info?.model ?? ''
  const model = (): string => view().wanted?.model ?? confirmed()
  const silent = (): boolean => view().wanted?.yolo ?? view().info?.yolo ?? false
  const offline = (): boolean => link.link().kind !== 'open'
  const pick = (raw: string): void => {
    if (raw === '') return
    const { provider, model: name } = readModelValue(raw)
    props.conversation.order({ type: 'live.configure', payload: { model: name, ...(provider ? { provider } : {}) } })
  }
  const approve = (raw: string): void => props.conversation.order({ type: 'live.configure', payload: { yolo: raw === 'never' } })
  useShortcut('model', () => { setWanted(true); select.focus(); select.showPicker?.() })
  return (
    <Show when={model()}>
      <label class="pill" classList={{ pending: view().wanted?.model != null }} title={offline() ? 'Offline: the model can be changed when the relay is there' : view().wanted?.model ? 'From the next message' : undefined}>
        <Icon name={facts.hermes()?.demo ? 'flask-conical' : 'sparkles'} /><span class="sr">Model</span>
        <select ref={select} disabled={offline()} onFocus={() => setWanted(true)} onPointerDown={() => setWanted(true)} onChange={(event) => { pick(event.currentTarget.value); event.currentTarget.value = '' }}>
          <option value="">{model()}</option>
          <ModelOptions choices={choices() ?? []} />
        </select>
      </label>
      <label class="pill" classList={{ warn: silent(), pending: view().wanted?.yolo != null }} title={silent() ? 'Every command runs without asking you' : 'Commands that may do harm ask you first'}>
        <Icon name={silent() ? 'shield-alert' : 'shield-check'} /><span class="sr">Approval of commands</span>
        <select disabled={offline()} value={silent() ? 'never' : 'ask'} onChange={(event) => approve(event.currentTarget.value)}><option value="ask">Asks</option><option value="never">Never asks</option></select>
      </label>
    </Show>
  )
}
