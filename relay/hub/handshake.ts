/** The first frame of a socket: what it must be, who may speak which version, and the words of `auth.ok` and `auth.fail`. Pure. */
import { parseEnvelope } from '#protocol/envelope/envelope.ts'
import { REFUSALS, type RefusalCode } from '#protocol/refusal/refusal.ts'
import { type AuthFail, AuthPayload, CLOSE, PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'

/** The four reasons of contract relay.md 4.1: old clients match these words. */
export const AUTH_REASON = {
  timeout: 'Authentication timeout',
  format: 'Invalid message format',
  first: 'First message must be system/auth',
  credential: 'Invalid pairing code or session token',
} as const

export type FirstFrame =
  | { kind: 'auth'; id: string | undefined; payload: AuthPayload; speaks: 'ours' | 'contract' }
  | { kind: 'fail'; id: string | undefined; reason: string; code: RefusalCode; close: { code: number; reason: string } }

export function parseFirstFrame(text: string): FirstFrame {
  const envelope = parseEnvelope(text)
  if (!envelope) return { kind: 'fail', id: undefined, reason: isJsonObject(text) ? AUTH_REASON.first : AUTH_REASON.format, code: 'frame_malformed', close: CLOSE.auth_failed }
  const { id } = envelope
  if (envelope.channel !== 'system' || envelope.type !== 'auth') return { kind: 'fail', id, reason: AUTH_REASON.first, code: 'auth_required', close: CLOSE.auth_failed }
  const parsed = AuthPayload.safeParse(envelope.payload)
  if (!parsed.success) return { kind: 'fail', id, reason: AUTH_REASON.format, code: 'frame_malformed', close: CLOSE.auth_failed }
  const { protocol, live } = parsed.data.supports
  if (protocol === PROTOCOL_VERSION) return { kind: 'auth', id, payload: parsed.data, speaks: 'ours' }
  // A client of the old contract names neither: it is let in, to the system channel only.
  if (protocol === undefined && live === undefined) return { kind: 'auth', id, payload: parsed.data, speaks: 'contract' }
  return { kind: 'fail', id, reason: AUTH_REASON.format, code: 'client_outdated', close: CLOSE.outdated }
}

export const authFail = (reason: string, code: RefusalCode): AuthFail => ({ reason, code, say: REFUSALS[code].say, next: REFUSALS[code].next })

/** Which close code lets a page act: wait, or ask its person. */
export function closeFor(code: RefusalCode): { code: number; reason: string } {
  if (code === 'rate_limited') return CLOSE.rate_limited
  if (code === 'session_revoked') return CLOSE.revoked
  if (code === 'too_many_sockets') return { code: 1013, reason: 'too_many_sockets' }
  return { code: CLOSE.auth_failed.code, reason: code }
}

/** One envelope as text; `payloadJson` is already JSON. */
export const envelopeText = (channel: string, type: string, payloadJson: string, id?: string): string =>
  `{"channel":${JSON.stringify(channel)},"type":${JSON.stringify(type)},${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"payload":${payloadJson}}`

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
