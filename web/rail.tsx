/** The narrow bar of pages on wide screens. */
import { Show } from 'solid-js'
import type { Place } from '#web/state/route.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { IconName } from '#web/ui/icon-paths.ts'
import { labelled } from '#web/ui/tooltip.ts'

function RailButton(props: { icon: IconName; label: string; page: Place['page']; due?: boolean; onClick(): void }) {
  const { route } = useServices()
  return (
    <button type="button" ref={labelled(() => (props.due ? `${props.label}, one waits for you` : props.label))} aria-current={route.place().page === props.page ? 'page' : undefined} onClick={() => props.onClick()}>
      <Icon name={props.icon} /><Show when={props.due}><i class="due" /></Show>
    </button>
  )
}

/** `onList`: the list is no column here; pressing where one is already opens it. */
export function Rail(props: { onList: (() => void) | null }) {
  const { route, link } = useServices()
  const facts = useRelayFacts()
  const asking = (): boolean => link.activity().some((one) => one.state === 'asking')
  const conversations = (): void => { if (route.place().page === 'chat' && props.onList) props.onList(); else route.backToChat() }
  const host = (): string => facts.host() ?? 'Relay'
  return (
    <nav class="rail" aria-label="Pages">
      <span class="logo" />
      <RailButton icon="message-circle" label="Conversations" page="chat" due={asking()} onClick={conversations} />
      <RailButton icon="smartphone" label="Devices" page="devices" onClick={() => route.openDevices()} />
      <span class="sp" />
      <RailButton icon="settings" label="Settings" page="settings" onClick={() => route.openSettings()} />
      <button type="button" class="rail-me" ref={labelled(() => `This browser on ${host()}`)} onClick={() => route.openSettings('browser')}><span class="avatar" aria-hidden="true">{host().slice(0, 1).toUpperCase()}</span></button>
    </nav>
  )
}
