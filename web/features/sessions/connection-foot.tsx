/** Which machine this page talks to, and whether it does. */
import { createOnline } from '#web/platform/presence.ts'
import { connectionWords } from '#web/state/connection-words.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Show } from 'solid-js'

export function ConnectionFoot() {
  const { link, sessions } = useServices()
  const facts = useRelayFacts()
  const online = createOnline()
  const words = () => connectionWords(link.link(), online())
  const host = (): string => facts.host() ?? 'Relay'
  return (
    <div class="conn">
      <span class="avatar" aria-hidden="true">{host().slice(0, 1).toUpperCase()}</span>
      <div class="who"><b>{host()}</b><small role="status"><span class={words().tone} aria-hidden="true">●</span> {words().text}</small><Show when={sessions.isOld() && words().tone === 'bad'}><small>conversations as of the last visit</small></Show><Show when={link.mode === 'alone'}><small>plain http: each tab has its own connection</small></Show></div>
    </div>
  )
}
