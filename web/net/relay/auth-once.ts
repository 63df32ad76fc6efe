/** One handshake on a socket of its own: to claim a code, or to rotate the tokens. */
import { parseEnvelope } from '#protocol/envelope/envelope.ts'
import { AuthFail, AuthOk, type AuthPayload, PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'

/** A cold VPN may need this long for its first connection, in ms (contract relay.md 4.7). */
export const CONNECT_WITHIN_MS = 20_000

export type AuthResult = { kind: 'ok'; auth: AuthOk } | { kind: 'fail'; fail: AuthFail } | { kind: 'unreachable' }

export const socketUrl = (base: string): string => `${base.replace(/^http/, 'ws').replace(/\/+$/, '')}/relay/ws`
export const SUPPORTS = { protocol: PROTOCOL_VERSION, live: 1 } as const
export const authFrame = (payload: Partial<AuthPayload>): string => JSON.stringify({ channel: 'system', type: 'auth', payload: { client_surface: 'web', ...payload, supports: SUPPORTS } })

export const authOnce = (base: string, payload: Partial<AuthPayload>): Promise<AuthResult> => new Promise((resolve) => {
  const socket = new WebSocket(socketUrl(base))
  const timer = setTimeout(() => end({ kind: 'unreachable' }), CONNECT_WITHIN_MS)
  const end = (result: AuthResult): void => {
    clearTimeout(timer)
    resolve(result)
    socket.close(1000)
  }
  socket.onopen = () => socket.send(authFrame(payload))
  socket.onclose = () => end({ kind: 'unreachable' })
  socket.onmessage = (message) => {
    const result = readAuth(String(message.data))
    if (result) end(result)
  }
})

/** The answer to `auth`, or null for any other frame. */
export function readAuth(text: string): AuthResult | null {
  const envelope = parseEnvelope(text)
  if (envelope?.channel !== 'system') return null
  if (envelope.type === 'auth.ok') {
    const parsed = AuthOk.safeParse(envelope.payload)
    return parsed.success ? { kind: 'ok', auth: parsed.data } : { kind: 'fail', fail: { reason: 'unreadable', code: 'client_outdated', say: 'The relay answered in words that this page does not know.', next: 'Reload the page.' } }
  }
  if (envelope.type !== 'auth.fail') return null
  const parsed = AuthFail.safeParse(envelope.payload)
  return { kind: 'fail', fail: parsed.success ? parsed.data : { reason: 'refused', code: 'auth_required', say: 'The relay refused this browser.', next: 'Get a new code on the host.' } }
}
