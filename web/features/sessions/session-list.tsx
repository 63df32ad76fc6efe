/** Conversations by day, with marks for those that run or ask; search filters what is shown. */
import './sessions.css'
import { createMemo, createSignal, For, Show } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { createTicker } from '#web/platform/presence.ts'
import { isLight } from '#web/platform/theme.ts'
import { setPreference } from '#web/state/preferences.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import { groupOf } from '#web/ui/when.ts'
import { ConnectionFoot } from './connection-foot.tsx'
import { SessionRowView } from './session-row-view.tsx'

export function SessionList(props: { onPick(): void; withRail?: boolean }) {
  const { sessions, route } = useServices()
  const [query, setQuery] = createSignal('')
  const now = createTicker(30_000)
  const found = createMemo(() => {
    const words = query().trim().toLowerCase()
    return (sessions.sessions() ?? []).filter((session) => !session.archived && (words === '' || `${session.title} ${session.preview}`.toLowerCase().includes(words)))
  })
  const groups = createMemo(() => {
    const byName = new Map<string, Session[]>()
    for (const session of found()) {
      const name = groupOf(session.activeAtMs, now())
      byName.set(name, [...(byName.get(name) ?? []), session])
    }
    return byName
  })
  const byId = (id: string): Session | undefined => found().find((session) => session.sessionId === id)
  return (
    <div class="drawer">
      <header>
        <h2>Conversations</h2>
        <button type="button" class="icon" aria-label="New chat" title="New chat" onClick={() => { route.openDraft(); props.onPick() }}><Icon name="square-pen" /></button>
      </header>
      <label class="search"><Icon name="search" /><span class="sr">Search conversations</span><input type="search" placeholder="Search" value={query()} onInput={(event) => setQuery(event.currentTarget.value)} /></label>
      <div class="list">
        <Show when={sessions.sessions()} fallback={<ListWait failure={sessions.failure()} retry={() => void sessions.refresh()} />}>
          <For each={[...groups().keys()]}>{(name) => (
            <section aria-label={name}>
              <h3 class="grp">{name}</h3>
              <ul><For each={groups().get(name)?.map((session) => session.sessionId) ?? []}>{(id) => <Show when={byId(id)}>{(session) => <SessionRowView session={session()} nowMs={now()} onPick={props.onPick} />}</Show>}</For></ul>
            </section>
          )}</For>
          <Show when={found().length === 0}><p class="none">{query() ? 'Nothing found.' : 'No conversations yet. What you start here also appears in Hermes itself.'}</p></Show>
        </Show>
      </div>
      <Show when={props.withRail}>
        <div class="conn">
          <button type="button" class="btn s" onClick={() => { route.openDevices(); props.onPick() }}><Icon name="smartphone" />Devices</button>
          <span class="sp" />
          <button type="button" class="icon" aria-label={isLight() ? 'Dark colours' : 'Light colours'} onClick={() => setPreference('theme', isLight() ? 'dark' : 'light')}><Icon name={isLight() ? 'moon' : 'sun'} /></button>
        </div>
      </Show>
      <ConnectionFoot />
    </div>
  )
}

const ListWait = (props: { failure: { say: string; next: string } | null; retry(): void }) => (
  <Show when={props.failure} fallback={<div aria-busy="true"><div class="skel skel-row" /><div class="skel skel-row" /><div class="skel skel-row" /></div>}>
    {(failure) => <p class="none">{failure().say} {failure().next} <button type="button" class="lnk" onClick={() => props.retry()}>Try again</button></p>}
  </Show>
)
