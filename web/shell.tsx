/** What every page of a signed-in browser shares: the link to the relay, what is kept here, the shells; and the frame that shows it. */
import { createEffect, onCleanup, onMount } from 'solid-js'
import type { Credentials } from '#web/net/relay/credentials.ts'
import { createRelayHttp } from '#web/net/relay/relay-http.ts'
import { createRelaySocket } from '#web/net/relay/relay-socket.ts'
import { createDashboard } from '#web/net/upstream/dashboard.ts'
import { onNudge } from '#web/platform/presence.ts'
import { type ShareFragment, takeShareFragment } from '#web/platform/share-fragment.ts'
import { createKeptSessions } from '#web/state/kept-sessions.ts'
import { createLinkShell } from '#web/state/link-shell.ts'
import { createOutboxShell } from '#web/state/outbox-shell.ts'
import { createPinsShell } from '#web/state/pins-shell.ts'
import { createRoute, newDraftKey } from '#web/state/route.ts'
import { type Services, ServicesContext } from '#web/state/services.ts'
import { createSeenShell } from '#web/state/seen-shell.ts'
import { createSessionsShell } from '#web/state/sessions-shell.ts'
import { listenForShortcuts } from '#web/state/shortcuts.ts'
import { createToastShell } from '#web/state/toast-shell.ts'
import type { DeviceRecord, PageStorage } from '#web/storage/page-storage.ts'
import { ToastView } from '#web/ui/toast.tsx'
import { Frame } from './frame.tsx'

type Props = { base: string; storage: PageStorage; credentials: Credentials; device: DeviceRecord; onSignedOut(why: { say: string; next: string } | null): void }

export function Shell(props: Props) {
  const share = takeShareFragment() // Before the route reads the fragment.
  const { base, storage, credentials } = props
  const link = createLinkShell((handlers) => createRelaySocket({ base, credentials, ...handlers }))
  const call = createRelayHttp(base, credentials)
  const dashboard = createDashboard(call)
  const toast = createToastShell()
  const route = createRoute(newDraftKey())
  const sessions = createSessionsShell(dashboard, link, toast, createKeptSessions(storage))
  const services: Services = {
    base, storage, credentials, call, dashboard, link, toast, route, outbox: createOutboxShell(storage, link), sessions, seen: createSeenShell(storage, sessions, route), pins: createPinsShell(storage, sessions, toast),
    async signOut() {
      await call('/relay/sign-out', { method: 'POST', body: {} })
      await credentials.forget().catch(() => undefined)
      link.stop()
      props.onSignedOut(null)
    },
  }
  void restoreDraft(services, share)
  onMount(() => link.start())
  onCleanup(() => link.stop())
  onCleanup(onNudge(() => link.nudge()))
  onCleanup(listenForShortcuts())
  createEffect(() => { const state = link.link(); if (state.kind === 'signed_out') { link.stop(); props.onSignedOut(state.fail) } })
  return <ServicesContext.Provider value={services}><Frame /><ToastView shell={toast} /></ServicesContext.Provider>
}

/** The new chat that was not sent yet keeps its key, and so its draft, over a reload. What was shared meanwhile is added to it. */
async function restoreDraft({ storage, route, toast }: Services, share: ShareFragment): Promise<void> {
  const [kept, shares] = await Promise.all(['draftKey', 'shares'].map((name) => storage.settings.get(name).catch(() => null)))
  const open = route.place()
  const atStart = open.page === 'chat' && open.chatKey === route.draftKey()
  if (share === 'refused') toast.show('What you shared did not arrive. Make sure that this browser has room, and share it again.', null, 15_000)
  const before = typeof kept?.value === 'string' && kept.value.startsWith('draft:') ? kept.value : null
  const taken = atStart && shares ? await import('./share.ts').then(({ takeShares }) => takeShares(before)).catch(() => null) : null
  const key = taken ?? before
  if (key !== null) {
    route.renewDraft(key)
    if (atStart) route.openDraft()
  } else void storage.settings.put('draftKey', { value: route.draftKey() }).catch(() => undefined)
}
