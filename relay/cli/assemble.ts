/** All parts of a running relay, put together in one place: store, door, Hermes, leases, channels, HTTP. */
import { hostname } from 'node:os'
import { createRelay, type Relay } from '../app.ts'
import { type Auth, createAuth } from '../auth/auth.ts'
import { createDoorRepo } from '../auth/door-repo.ts'
import { createLiveChannel } from '../channels/live/live-channel.ts'
import { systemChance, systemClock } from '../clock/clock.ts'
import type { Config } from '../config.ts'
import { type AgentDoor, createAgentRoutes } from '../hermes-choice/agent-routes.ts'
import { createDeletions, type Deletions } from '../lease/deletions.ts'
import { createJournalRepo } from '../lease/journal-repo.ts'
import { LeaseRegistry } from '../lease/lease-registry.ts'
import { createLeaseRoutes } from '../lease/lease-routes.ts'
import type { UpstreamTransport } from '../lease/upstream-transport.ts'
import type { Store } from '../store/open-store.ts'
import { errorFacts, type Log } from './log.ts'

export type Assembled = { relay: Relay; auth: Auth; start(): Promise<void>; runningTurns(): number; close(): Promise<void> }

export type AssembleParts = { config: Config; store: Store; transport: UpstreamTransport; agent: AgentDoor; log: Log; version: string; webFolder: string }

export function assemble({ config, store, transport, agent, log, version, webFolder }: AssembleParts): Assembled {
  const [clock, chance] = [systemClock, systemChance]
  const auth = createAuth({ repo: createDoorRepo(store.db), clock, chance })
  const live = createLiveChannel({ registry: () => registry, clock })
  const journal = createJournalRepo(store.db)
  const onLog = (line: string, facts: Record<string, unknown>) => log.info(line, facts)
  const registry: LeaseRegistry = new LeaseRegistry({ transport, journal, clock, chance, onActivity: () => live.activityChanged(), onSubmit: (name) => deletions.undo(name), onLog })
  const deletions: Deletions = createDeletions({ journal, transport, registry, clock, onLog })
  const relay = createRelay(config, {
    auth, transport, channels: [live], clock, chance, webFolder, version, hostName: hostname(),
    onDelete: ({ storedId, profile }) => deletions.request(storedId, profile), isHidden: deletions.isHidden, onConfigChanged: () => registry.learnAskWait(), moreRoutes: (gate) => createLeaseRoutes({ registry, deletions, gate }).route('/', createAgentRoutes({ agent, gate })),
    onMistake: (error) => log.error('a mistake of ours', { facts: JSON.stringify(errorFacts(error)) }),
  })
  return {
    relay, auth,
    async start() {
      await registry.start()
      await deletions.start()
    },
    /** What is built in ends with the relay; only a Hermes goes on. */
    runningTurns: () => transport.kind === 'embedded' ? 0 : registry.leases.filter((lease) => lease.isRunning).length,
    async close() {
      deletions.close()
      registry.close()
      live.close()
      await relay.close()
    },
  }
}
