/** The narrow bar of pages on wide screens. */
import { Show } from 'solid-js'
import { isLight } from '#web/platform/theme.ts'
import { setPreference } from '#web/state/preferences.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'

export function Rail() {
  const { route, link } = useServices()
  const asking = (): boolean => link.activity().some((one) => one.state === 'asking')
  const on = (page: 'chat' | 'devices'): 'page' | undefined => (route.place().page === page ? 'page' : undefined)
  return (
    <nav class="rail" aria-label="Pages">
      <span class="logo" />
      <button type="button" aria-current={on('chat')} aria-label={asking() ? 'Conversations, one waits for you' : 'Conversations'} title="Conversations" onClick={() => route.openDraft()}>
        <Icon name="message-circle" /><Show when={asking()}><i class="due" /></Show>
      </button>
      <button type="button" aria-current={on('devices')} aria-label="Devices" title="Devices" onClick={() => route.openDevices()}><Icon name="smartphone" /></button>
      <span class="sp" />
      <button type="button" aria-label={isLight() ? 'Dark colours' : 'Light colours'} title={isLight() ? 'Dark colours' : 'Light colours'} onClick={() => setPreference('theme', isLight() ? 'dark' : 'light')}><Icon name={isLight() ? 'moon' : 'sun'} /></button>
    </nav>
  )
}
