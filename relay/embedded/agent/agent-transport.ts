/** The small agent as an upstream: speaks what a Hermes speaks, so that nothing above it knows the difference. */
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import type { Database } from '#relay/store/database.ts'
import { createInProcessTransport } from '../in-process-transport.ts'
import { AGENT_TIMING, type AgentTiming } from './agent-core.ts'
import { AgentHost } from './agent-host.ts'
import { createAgentRepo } from './agent-repo.ts'
import { openConfinedFolder } from './confined-folder.ts'
import { MODEL_TIMING, ModelClient, type ModelTiming, type Provider } from './model-client.ts'
import { runCommand } from './run-command.ts'

/** What the agent calls itself where a Hermes says its version: the contract that it speaks is the one of 0.19.0. */
export const AGENT_VERSION = 'built-in'

export type AgentDeps = {
  provider: Provider; db: Database; clock: Clock; chance: Chance
  /** The only folder that file tools reach; made for its owner only. */
  workspace: string
  /** Never gets the key, a prompt or an answer. */
  onLog?: (line: string, facts: Record<string, unknown>) => void
  contextTokens?: number
  timing?: Partial<AgentTiming & ModelTiming>
}

/** @throws when the workspace cannot be made or the address is none */
export function createAgentTransport({ provider, db, clock, chance, workspace, onLog, contextTokens, timing }: AgentDeps): UpstreamTransport {
  const folder = openConfinedFolder(workspace)
  const agentTiming = { ...AGENT_TIMING, ...timing }
  const log = onLog ? { onLog } : {}
  const host = new AgentHost({
    clock, chance, folder, model: provider.model, version: AGENT_VERSION, timing: agentTiming, repo: createAgentRepo(db), ...log, ...(contextTokens ? { contextMax: contextTokens } : {}),
    client: new ModelClient({ provider, clock, chance, timing: { ...MODEL_TIMING, ...timing }, ...log }),
    runCommand: (command, signal) => runCommand(command, signal, { folder: folder.root, clock, environment: process.env, limitMs: agentTiming.commandMs }),
  })
  return createInProcessTransport({ clock, host, isDemo: false, onClose: () => host.close() })
}
