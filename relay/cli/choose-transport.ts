/** The upstream for what was decided. Each kind is loaded when it is used: a demo must not carry the agent in memory, nor the other way round. */
import { join } from 'node:path'
import { systemChance, systemClock } from '../clock/clock.ts'
import type { Config } from '../config.ts'
import type { Decided } from '../hermes-choice/choice.ts'
import { createDashboardTransport } from '../ingress/dashboard-transport.ts'
import type { UpstreamTransport } from '../lease/upstream-transport.ts'
import type { Database } from '../store/database.ts'
import type { Log } from './log.ts'

export type TransportParts = { config: Config; db: Database; log: Log; managedAddress(): Promise<{ baseUrl: string; token: string }> }

export async function chooseTransport({ choice, key }: Decided, { config, db, log, managedAddress }: TransportParts): Promise<UpstreamTransport> {
  const [clock, chance] = [systemClock, systemChance]
  if (choice.kind === 'dashboard') return createDashboardTransport({ baseUrl: choice.url, secrets: { token: config.dashboardToken, user: config.dashboardUser, password: config.dashboardPassword }, clock })
  if (choice.kind === 'managed') {
    const { baseUrl, token } = await managedAddress()
    return createDashboardTransport({ baseUrl, secrets: { token, user: null, password: null }, clock })
  }
  if (choice.kind === 'provider') {
    const { createAgentTransport } = await import('../embedded/agent/agent-transport.ts')
    return createAgentTransport({ provider: { baseUrl: choice.baseUrl, model: choice.model, apiKey: key }, db, clock, chance, workspace: config.workspace ?? join(config.dataDir, 'workspace'), onLog: (line, facts) => log.info(line, facts) })
  }
  const { createPlayerTransport } = await import('../embedded/player-transport.ts')
  return createPlayerTransport({ clock, chance })
}
