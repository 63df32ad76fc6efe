/** The player as an upstream. */
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { createInProcessTransport } from './in-process-transport.ts'
import { createPlayerHost, type PlayerHost } from './player-host.ts'

export type PlayerTransport = UpstreamTransport & { readonly host: PlayerHost }

export function createPlayerTransport(deps: { clock: Clock; chance: Chance; host?: PlayerHost }): PlayerTransport {
  const host = deps.host ?? createPlayerHost(deps)
  const transport = createInProcessTransport({
    clock: deps.clock, host, isDemo: true,
    onClose: () => { if (!deps.host) host.kill() }, // Ours alone: its reap timers must not keep the process alive.
  })
  return { ...transport, host }
}
