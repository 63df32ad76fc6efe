/** What a person may set for the whole agent: how commands are approved, how long a question waits, what a message does to a busy conversation. */
import type { Json } from '../player-core.ts'
import { type AgentCore, APPROVAL_S_MAX } from './agent-core.ts'

export const configBody = (core: AgentCore): Json => {
  const { mode, timeoutS } = core.approvals
  return { model: core.parts.model, approvals: { mode, timeout: timeoutS }, display: { busy_input_mode: core.busyMode } }
}

/** False when the mode is none of ours. `smart` is none: no second model decides over commands here. */
export function setApprovalsMode(core: AgentCore, mode: unknown): boolean {
  if (mode !== 'manual' && mode !== 'off') return false
  core.repo.set('approvals.mode', mode)
  return true
}

export function setBusyMode(core: AgentCore, mode: unknown): boolean {
  if (mode !== 'interrupt' && mode !== 'queue' && mode !== 'steer') return false
  core.repo.set('busy_input_mode', mode)
  return true
}

export function setApprovalsTimeout(core: AgentCore, seconds: unknown): boolean {
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > APPROVAL_S_MAX) return false
  core.repo.set('approvals.timeout', String(seconds))
  return true
}

/** Takes effect at once (M10). Null when all of it was taken, else why not. */
export function putConfig(core: AgentCore, config: Json): string | null {
  const { approvals, display } = config as { approvals?: Json; display?: Json }
  if (approvals?.['mode'] !== undefined && !setApprovalsMode(core, approvals['mode'])) return 'The built-in agent knows the approvals modes manual and off.'
  if (approvals?.['timeout'] !== undefined && !setApprovalsTimeout(core, approvals['timeout'])) return `The approvals timeout is a number of seconds, at most ${APPROVAL_S_MAX}.`
  if (display?.['busy_input_mode'] !== undefined && !setBusyMode(core, display['busy_input_mode'])) return 'The busy mode is interrupt, queue or steer.'
  return null
}
