/** The frame around every page of a signed-in browser: rail, list, page, toast; and the shells that features share. */
import { createEffect, createSignal, lazy, Match, onCleanup, onMount, Show, Switch } from 'solid-js'
import { ChatPage } from '#web/features/chat/index.ts'
import { DevicesPage } from '#web/features/devices/index.ts'
import { SessionList } from '#web/features/sessions/index.ts'
import type { Credentials } from '#web/net/relay/credentials.ts'
import { createRelayHttp } from '#web/net/relay/relay-http.ts'
import { createRelaySocket } from '#web/net/relay/relay-socket.ts'
import { createDashboard } from '#web/net/upstream/dashboard.ts'
import { chunkGone } from '#web/platform/chunk-gone.ts'
import { whenIdle } from '#web/platform/idle.ts'
import { createMedia, onNudge } from '#web/platform/presence.ts'
import { type ShareFragment, takeShareFragment } from '#web/platform/share-fragment.ts'
import { createLinkShell } from '#web/state/link-shell.ts'
import { createOutboxShell } from '#web/state/outbox-shell.ts'
import { createRoute, newDraftKey } from '#web/state/route.ts'
import { type Services, ServicesContext } from '#web/state/services.ts'
import { createSessionsShell } from '#web/state/sessions-shell.ts'
import { listenForShortcuts } from '#web/state/shortcuts.ts'
import { createToastShell } from '#web/state/toast-shell.ts'
import type { DeviceRecord, PageStorage } from '#web/storage/page-storage.ts'
import { ToastView } from '#web/ui/toast.tsx'
import { Outdated } from './outdated.tsx'
import { Rail } from './rail.tsx'

type Props = { base: string; storage: PageStorage; credentials: Credentials; device: DeviceRecord; onSignedOut(why: { say: string; next: string } | null): void }

const UpdateStrip = lazy(() => import('./update-strip.tsx'))

export function Shell(props: Props) {
  const share = takeShareFragment() // Before the route reads the fragment.
  const { base, storage, credentials } = props
  const link = createLinkShell((handlers) => createRelaySocket({ base, credentials, ...handlers }))
  const call = createRelayHttp(base, credentials)
  const dashboard = createDashboard(call)
  const toast = createToastShell()
  const route = createRoute(newDraftKey())
  const services: Services = {
    base, storage, credentials, call, dashboard, link, toast, route, outbox: createOutboxShell(storage, link), sessions: createSessionsShell(dashboard, link, toast),
    async signOut() {
      await call('/relay/sign-out', { method: 'POST', body: {} })
      await credentials.forget().catch(() => undefined)
      link.stop()
      props.onSignedOut(null)
    },
  }
  const phone = createMedia('(max-width: 760px)')
  const [drawerOpen, setDrawerOpen] = createSignal(false)
  let drawer: HTMLDialogElement | undefined

  void restoreDraft(services, share)
  const [idle, setIdle] = createSignal(false)
  onCleanup(whenIdle(() => setIdle(true)))
  onMount(() => link.start())
  onCleanup(() => link.stop())
  onCleanup(onNudge(() => link.nudge()))
  onCleanup(listenForShortcuts())
  createEffect(() => { const state = link.link(); if (state.kind === 'signed_out') { link.stop(); props.onSignedOut(state.fail) } })
  createEffect(() => { if (drawerOpen() && phone()) drawer?.showModal(); else drawer?.close() })
  createEffect(() => { route.place(); setDrawerOpen(false) })

  const chatKey = (): string | null => { const place = route.place(); return place.page === 'chat' ? place.chatKey : null }
  return (
    <ServicesContext.Provider value={services}>
      <div class="app" classList={{ two: route.place().page !== 'chat' }}>
        <Rail />
        <Show when={phone()} fallback={<Show when={chatKey()}><aside aria-label="Conversations"><SessionList onPick={() => undefined} /></aside></Show>}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the drawer closes it; Escape is the dialog's own. */}
          <dialog ref={(el) => { drawer = el }} class="sheet-drawer" aria-label="Conversations" onClose={() => setDrawerOpen(false)} onClick={(event) => { if (event.target === drawer) setDrawerOpen(false) }}>
            <SessionList onPick={() => setDrawerOpen(false)} withRail />
          </dialog>
        </Show>
        <main class="pane">
          <Show when={link.link().kind === 'outdated' || chunkGone()}><Outdated /></Show>
          <Show when={idle()}><UpdateStrip /></Show>
          <Switch>
            <Match when={chatKey()} keyed>{(key) => <ChatPage chatKey={key} onMenu={() => setDrawerOpen(true)} />}</Match>
            <Match when={route.place().page === 'devices'}><DevicesPage onMenu={() => setDrawerOpen(true)} /></Match>
          </Switch>
        </main>
      </div>
      <ToastView shell={toast} />
    </ServicesContext.Provider>
  )
}

/** The new chat that was not sent yet keeps its key, and so its draft, over a reload. What was shared meanwhile is added to it. */
async function restoreDraft({ storage, route, toast }: Services, share: ShareFragment): Promise<void> {
  const [kept, shares] = await Promise.all(['draftKey', 'shares'].map((name) => storage.settings.get(name).catch(() => null)))
  const open = route.place()
  const atStart = open.page === 'chat' && open.chatKey === route.draftKey()
  if (share === 'refused') toast.show('What you shared could not be kept in this browser. Make room, or share less at once, and share it again.', null, 15_000)
  const before = typeof kept?.value === 'string' && kept.value.startsWith('draft:') ? kept.value : null
  const taken = atStart && shares ? await import('./share.ts').then(({ takeShares }) => takeShares(before)).catch(() => null) : null
  const key = taken ?? before
  if (key !== null) {
    route.renewDraft(key)
    if (atStart) route.openDraft()
  } else void storage.settings.put('draftKey', { value: route.draftKey() }).catch(() => undefined)
}
