/** HTTP to the relay: base URL and bearer, never cookies (D1). Every failure comes back as a code, a sentence and a next step. */
import * as z from 'zod/mini'
import type { Credentials } from './credentials.ts'

/** A request that takes longer has failed, in ms. */
export const REQUEST_WITHIN_MS = 30_000

const Body = z.object({ code: z.string(), say: z.string(), next: z.string(), retry: z.optional(z.string()), detail: z.optional(z.record(z.string(), z.unknown())) })
export type Failure = { code: string; say: string; next: string }
export type Answer = { ok: true; body: unknown } | { ok: false; failure: Failure }
export type RelayCall = (path: string, init?: { method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; body?: unknown; keepalive?: boolean }) => Promise<Answer>

const UNREACHABLE: Failure = { code: 'relay_unreachable', say: 'The relay does not answer.', next: 'Check that it runs and that this device has a network.' }
const SIGNED_OUT: Failure = { code: 'auth_required', say: 'This browser is not signed in to the relay.', next: 'Open the link that the relay printed, or type its code.' }

export function createRelayHttp(base: string, credentials: Credentials, fetcher: typeof fetch = (...args) => fetch(...args)): RelayCall {
  const once = async (token: string, path: string, init: Parameters<RelayCall>[1]): Promise<Response | null> => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' }
    if (init?.body !== undefined) headers['content-type'] = 'application/json'
    try {
      return await fetcher(`${base}${path}`, {
        method: init?.method ?? 'GET', headers, credentials: 'omit', cache: 'no-store', keepalive: init?.keepalive ?? false, signal: AbortSignal.timeout(REQUEST_WITHIN_MS),
        ...(init?.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      })
    } catch {
      return null
    }
  }
  return async (path, init) => {
    const device = await credentials.read().catch(() => null)
    if (!device) return { ok: false, failure: SIGNED_OUT }
    let response = await once(device.sessionToken, path, init)
    if (response?.status === 401) {
      const fresh = await credentials.rotate(device.sessionToken)
      if (typeof fresh === 'object' && 'sessionToken' in fresh) response = await once(fresh.sessionToken, path, init)
    }
    if (!response) return { ok: false, failure: UNREACHABLE }
    const body: unknown = await response.json().catch(() => null)
    if (response.ok) return { ok: true, body }
    const parsed = Body.safeParse(body)
    return { ok: false, failure: parsed.success ? parsed.data : { code: `http_${response.status}`, say: `The relay answered with ${response.status}.`, next: 'Try again.' } }
  }
}
