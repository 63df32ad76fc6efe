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

/** What the page needs to know before it draws: the key of the new chat that was not sent yet, and whether another program shared something. */
export type Kept = { draftKey: string | null; shared: boolean }
type Props = { base: string; storage: PageStorage; credentials: Credentials; device: DeviceRecord; kept: Kept; onSignedOut(why: { say: string; next: string } | null): void }

export function Shell(props: Props) {
  const share = takeShareFragment() // Before the route reads the fragment.
  const { base, storage, credentials } = props
  const link = createLinkShell((handlers) => createRelaySocket({ base, credentials, ...handlers }))
  const call = createRelayHttp(base, credentials)
  const dashboard = createDashboard(call)
  const toast = createToastShell()
  const route = createRoute(props.kept.draftKey ?? newDraftKey())
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
  void keepDraft(services, share, props.kept)
  onMount(() => link.start())
  onCleanup(() => link.stop())
  onCleanup(onNudge(() => link.nudge()))
  onCleanup(listenForShortcuts())
  createEffect(() => { const state = link.link(); if (state.kind === 'signed_out') { link.stop(); props.onSignedOut(state.fail) } })
  return <ServicesContext.Provider value={services}><Frame /><ToastView shell={toast} /></ServicesContext.Provider>
}

/** Read before the first drawing, so that the conversation is not built twice. */
export async function readKept({ settings }: PageStorage): Promise<Kept> {
  const [draftKey, shares] = await Promise.all(['draftKey', 'shares'].map((name) => settings.get(name).catch(() => null)))
  return { draftKey: typeof draftKey?.value === 'string' && draftKey.value.startsWith('draft:') ? draftKey.value : null, shared: Boolean(shares) }
}

/** The new chat that was not sent yet keeps its key, and so its draft, over a reload. What was shared meanwhile is added to it. */
async function keepDraft({ storage, route, toast }: Services, share: ShareFragment, kept: Kept): Promise<void> {
  if (share === 'refused') toast.show('What you shared did not arrive. Make sure that this browser has room, and share it again.', null, 15_000)
  const open = route.place()
  const atStart = open.page === 'chat' && open.chatKey === route.draftKey()
  const taken = atStart && kept.shared ? await import('./share.ts').then(({ takeShares }) => takeShares(kept.draftKey)).catch(() => null) : null
  if (taken !== null) {
    route.renewDraft(taken)
    route.openDraft()
  } else if (kept.draftKey === null) void storage.settings.put('draftKey', { value: route.draftKey() }).catch(() => undefined)
}
