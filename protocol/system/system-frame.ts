/** The `system` channel: the handshake and liveness (contract relay.md 3.1, 4.1-4.3; rulings 8, 9, 21). */
import * as z from 'zod/mini'

/** Version of everything that page and relay say to each other. A page with another one is told to reload. */
export const PROTOCOL_VERSION = 1
/** Largest pause between frames of a healthy page: it sends `ping` this often, in ms. */
export const PING_EVERY_MS = 25_000
/** A missing `pong` after this long means a dead link, in ms. */
export const PONG_WITHIN_MS = 10_000
/** The relay closes a socket that has not said `auth` within this time, in ms (contract relay.md 4.1). */
export const AUTH_WITHIN_MS = 30_000

/** Grants of a device (ruling 21). `approve` answers questions, which runs commands. */
export const GRANTS = ['chat', 'approve', 'manage', 'files', 'terminal', 'bridge', 'voice', 'admin'] as const
export type Grant = (typeof GRANTS)[number]

/** Close codes of the relay socket; each tells the page what to do. */
export const CLOSE = {
  normal: { code: 1000, reason: 'closed' },
  shutdown: { code: 1001, reason: 'server shutting down' },
  auth_failed: { code: 4401, reason: 'auth_failed' },
  revoked: { code: 4403, reason: 'session_revoked' },
  slow_reader: { code: 4408, reason: 'slow_reader' },
  too_large: { code: 4413, reason: 'frame_too_large' },
  outdated: { code: 4426, reason: 'client_outdated' },
  rate_limited: { code: 4429, reason: 'rate_limited' },
} as const

const Short = z.string().check(z.maxLength(256))
const Token = z.string().check(z.maxLength(512))

export const AuthPayload = z.object({
  session_token: z.optional(Token),
  refresh_token: z.optional(Token),
  pairing_code: z.optional(z.string().check(z.maxLength(32))),
  device_name: z.optional(Short),
  device_id: z.optional(z.string().check(z.maxLength(128))),
  device_model: z.optional(Short),
  device_platform: z.optional(Short),
  client_surface: z.optional(Short),
  device_form_factor: z.optional(Short),
  /** `protocol` is PROTOCOL_VERSION of the page; `live: 1` opens the live channel. */
  supports: z.prefault(z.record(z.string(), z.unknown()), {}),
})
export type AuthPayload = z.infer<typeof AuthPayload>

/** Which Hermes stands behind the relay. Sent again as `system/hermes` whenever it changes. */
export const HermesFacts = z.lazy(() => z.object({ kind: z.enum(['embedded', 'dashboard']), ready: z.boolean(), version: z.nullable(z.string()), demo: z.boolean() }))
export type HermesFacts = z.infer<typeof HermesFacts>

export const AuthOk = z.lazy(() => z.object({
  session_token: z.string(),
  refresh_token: z.optional(z.string()),
  server_version: z.string(),
  protocol: z.number(),
  /** Epoch seconds, `null` = never. */
  expires_at: z.nullable(z.number()),
  grants: z.record(z.string(), z.nullable(z.number())),
  device_id: z.string(),
  device_name: z.string(),
  /** Name of the machine that the relay runs on. */
  host_name: z.string(),
  hermes: HermesFacts,
  profiles: z.array(z.unknown()),
}))
export type AuthOk = z.infer<typeof AuthOk>

/** The four reasons of contract relay.md 4.1, plus a stable code of ours. */
export const AuthFail = z.object({ reason: z.string(), code: z.string(), say: z.string(), next: z.string() })
export type AuthFail = z.infer<typeof AuthFail>
