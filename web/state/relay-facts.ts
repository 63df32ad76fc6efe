/** What the relay says of itself, or last said to this browser: host and agent keep their names while it does not answer. */
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import { type Services, useServices } from './services.ts'

export type RelayFacts = { host(): string | null; hermes(): HermesFacts | null; /** The small agent of the relay, which is neither Hermes nor the demo. */ isSmallAgent(): boolean }

export function relayFacts({ link, credentials }: { link: Pick<Services['link'], 'welcome'>; credentials: Pick<Services['credentials'], 'known'> }): RelayFacts {
  const hermes = (): HermesFacts | null => link.welcome()?.hermes ?? credentials.known()?.hermes ?? null
  return {
    hermes,
    host: () => link.welcome()?.host_name ?? credentials.known()?.hostName ?? null,
    isSmallAgent: () => hermes()?.kind === 'embedded' && hermes()?.demo === false,
  }
}

export const useRelayFacts = (): RelayFacts => relayFacts(useServices())
