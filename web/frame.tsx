/** Rail, list and page, and the keys that move between them. On narrow screens the list is a drawer. */
import { createEffect, createSignal, lazy, Match, on, onCleanup, Show, Suspense, Switch } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { ChatPage } from '#web/features/chat/index.ts'
import { AgentPage } from '#web/features/connect-agent/index.ts'
import { DevicesPage } from '#web/features/devices/index.ts'
import { DevUiPage } from '#web/features/dev-ui/index.ts'
import { SessionList } from '#web/features/sessions/index.ts'
import { SettingsPage } from '#web/features/settings/index.ts'
import { ShortcutSheet } from '#web/features/shortcuts/index.ts'
import { pinnedFirst } from '#web/core/sessions/pins.ts'
import { chunkGone } from '#web/platform/chunk-gone.ts'
import { whenIdle } from '#web/platform/idle.ts'
import { createMedia } from '#web/platform/presence.ts'
import { ListColumn, ListDrawer } from './list-column.tsx'
import { Outdated } from './outdated.tsx'
import { Rail } from './rail.tsx'
import { Late } from './ui/late.tsx'
import { preference, setPreference } from './state/preferences.ts'
import type { SettingsSection } from './state/route.ts'
import { useServices } from './state/services.ts'
import { useShortcut } from './state/shortcuts.ts'

const UpdateStrip = lazy(() => import('./update-strip.tsx'))
const LostPage = lazy(async () => ({ default: (await import('./lost-page.tsx')).LostPage }))

/** The list waits for the composer this long at most, in ms. */
const LIST_AFTER_MS = 0

export function Frame() {
  const { route, link } = useServices()
  const narrow = createMedia('(max-width: 839px)')
  const [drawerOpen, setDrawerOpen] = createSignal(false)
  const [helpOpen, setHelpOpen] = createSignal<boolean | null>(null)
  const [width, setWidth] = createSignal(preference('listWidth'))
  const [idle, setIdle] = createSignal(false)
  const [listDue, setListDue] = createSignal(false)
  let search: HTMLInputElement | undefined
  onCleanup(whenIdle(() => setIdle(true)))
  onCleanup(whenIdle(() => setListDue(true), LIST_AFTER_MS))
  const chatKey = (): string | null => { const place = route.place(); return place.page === 'chat' ? place.chatKey : null }
  const settings = (): { section: SettingsSection | null } | null => { const place = route.place(); return place.page === 'settings' ? place : null }
  const lostHash = (): string | null => { const place = route.place(); return place.page === 'unknown' ? place.hash : place.page === 'dev-ui' && !DevUiPage ? '#/dev/ui' : null }
  const isColumn = (): boolean => !narrow() && chatKey() !== null && preference('listOpen')
  const menu = (): void => { setDrawerOpen(true) }
  createEffect(on(route.place, () => setDrawerOpen(false), { defer: true }))
  frameKeys({ isColumn, openDrawer: menu, isNarrow: () => narrow() || chatKey() === null, focusSearch: () => search?.focus(), openHelp: () => setHelpOpen(true) })
  return (
    <>
      <div class="app" classList={{ two: !isColumn() }} style={{ '--list': `${width()}px` }}>
        <Rail onList={isColumn() ? null : menu} />
        <Show when={isColumn()}><ListColumn width={width()} onWidth={setWidth}><Late><Show when={listDue()}><SessionList onPick={() => undefined} searchRef={(field) => { search = field }} /></Show></Late></ListColumn></Show>
        <main class="pane">
          <Show when={link.link().kind === 'outdated' || chunkGone()}><Outdated /></Show>
          <Late><Show when={idle()}><UpdateStrip /></Show></Late>
          <Late retryOn={route.place}><Switch>
            <Match when={chatKey()} keyed>{(key) => <ChatPage chatKey={key} onMenu={menu} />}</Match>
            <Match when={route.place().page === 'devices'}><DevicesPage onMenu={menu} /></Match>
            <Match when={route.place().page === 'agent'}><AgentPage onMenu={menu} /></Match>
            <Match when={settings()}>{(at) => <SettingsPage section={at().section} onMenu={menu} />}</Match>
            <Match when={lostHash()}>{(hash) => <LostPage hash={hash()} />}</Match>
            <Match when={route.place().page === 'dev-ui' && DevUiPage}>{(page) => <Dynamic component={page()} />}</Match>
          </Switch></Late>
        </main>
      </div>
      <ListDrawer open={drawerOpen() && !isColumn()} onClose={() => setDrawerOpen(false)}><Late><Suspense><SessionList onPick={() => setDrawerOpen(false)} searchRef={(field) => { search = field }} withPages /></Suspense></Late></ListDrawer>
      <Show when={helpOpen() !== null}><Late><Suspense><ShortcutSheet open={helpOpen() === true} onClose={() => setHelpOpen(false)} /></Suspense></Late></Show>
    </>
  )
}

type Keys = { isColumn(): boolean; isNarrow(): boolean; openDrawer(): void; focusSearch(): void; openHelp(): void }

function frameKeys(keys: Keys): void {
  const { route, sessions, pins } = useServices()
  const showSearch = (): void => {
    if (!keys.isColumn() && !keys.isNarrow()) setPreference('listOpen', true)
    if (keys.isColumn()) return keys.focusSearch()
    keys.openDrawer()
    requestAnimationFrame(() => keys.focusSearch())
  }
  const go = (by: 1 | -1): void => {
    const { pinned, rest } = pinnedFirst(sessions.sessions() ?? [], pins.pins())
    const rows = [...pinned, ...rest].filter((row) => !row.archived)
    const place = route.place()
    const openId = place.page === 'chat' ? (route.adopted() ?? place.chatKey) : null
    const index = rows.findIndex((row) => row.sessionId === openId)
    const next = rows[index < 0 ? (by === 1 ? 0 : -1) : index + by]
    if (next) route.openChat(next.sessionId)
  }
  useShortcut('newChat', () => route.openDraft())
  useShortcut('help', keys.openHelp)
  useShortcut('searchChats', showSearch)
  useShortcut('toggleList', () => { if (keys.isNarrow()) keys.openDrawer(); else setPreference('listOpen', !preference('listOpen')) })
  useShortcut('previousChat', () => go(-1))
  useShortcut('nextChat', () => go(1))
}
