/** Questions of the player: raised by event, never repeated, in no snapshot, expiring in silence (gateway.md, Verified 9, 13-15). */
import type { AskKind, Json, Live, PendingAsk, PlayerCore } from './player-core.ts'

export const BLOCKED_TIMEOUT = 'BLOCKED: Command timed out without user response. The user has NOT consented to this action.'
export const BLOCKED_DENIED = 'BLOCKED: Command denied by user. The user has NOT consented to this action.'

export function makeAsk(core: PlayerCore, kind: AskKind, payload: Json): PendingAsk {
  const requestId = typeof payload['request_id'] === 'string' ? payload['request_id'] : core.hex(8)
  return { kind, requestId, payload: kind === 'approval' ? payload : { ...payload, request_id: requestId }, timer: null, raisedAtMs: core.clock.now() }
}

export function askWaitMs(core: PlayerCore, kind: AskKind): number {
  switch (kind) {
    case 'approval': return core.config.approvals.timeout * 1_000
    case 'clarify': return core.timing.clarifyWaitMs
    case 'sudo': return core.timing.sudoWaitMs
    case 'secret': return core.timing.secretWaitMs
  }
}

export const approvalPayload = (command: string): Json => ({
  command, pattern_key: 'recursive delete', pattern_keys: ['recursive delete'], description: 'recursive delete', allow_permanent: true, choices: ['once', 'session', 'always', 'deny'],
})

/** The session whose turn waits for this question. */
export const findAsked = (core: PlayerCore, kind: AskKind, requestId: string): Live | null =>
  [...core.lives.values()].find((live) => live.run?.ask?.kind === kind && live.run.ask.requestId === requestId) ?? null
