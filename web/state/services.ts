/** What features get from outside; made once in main.tsx and handed down, never imported as a global. */
import { createContext, useContext } from 'solid-js'
import type { Credentials } from '#web/net/relay/credentials.ts'
import type { RelayCall } from '#web/net/relay/relay-http.ts'
import type { Dashboard } from '#web/net/upstream/dashboard.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'
import type { LinkShell } from './link-shell.ts'
import type { OutboxShell } from './outbox-shell.ts'
import type { PinsShell } from './pins-shell.ts'
import type { Route } from './route.ts'
import type { SeenShell } from './seen-shell.ts'
import type { SessionsShell } from './sessions-shell.ts'
import type { ToastShell } from './toast-shell.ts'

export type Services = {
  base: string; storage: PageStorage; credentials: Credentials; call: RelayCall; dashboard: Dashboard
  link: LinkShell; outbox: OutboxShell; sessions: SessionsShell; seen: SeenShell; pins: PinsShell; route: Route; toast: ToastShell
  signOut(): Promise<void>
}

export const ServicesContext = createContext<Services>()
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('no services above this component')
  return services
}
