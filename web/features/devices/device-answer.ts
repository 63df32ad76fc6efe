/** The relay's answers about devices, parsed at the door. */
import * as z from 'zod/mini'
import { timeMs } from '#protocol/dashboard/session-row.ts'

const Time = z.optional(z.nullable(z.union([z.number(), z.string()])))
const Row = z.object({
  device_id: z.optional(z.string()), id: z.optional(z.string()), device_name: z.optional(z.string()), name: z.optional(z.string()), last_seen: Time, last_seen_at: Time, last_seen_at_ms: Time, seen_at_ms: Time,
  grants: z.optional(z.union([z.array(z.string()), z.record(z.string(), z.unknown())])), current: z.optional(z.boolean()),
})
export type Device = { deviceId: string; name: string; lastSeenAtMs: number; grants: string[] }
export type FreshCode = { code: string; url: string }

export function parseDevices(body: unknown): Device[] {
  const raw = Array.isArray(body) ? body : (body as { devices?: unknown } | null)?.devices
  return (Array.isArray(raw) ? raw : []).flatMap((one: unknown) => {
    const row = Row.safeParse(one)
    const deviceId = row.data?.device_id ?? row.data?.id
    if (!row.success || !deviceId) return []
    const { grants } = row.data
    return [{ deviceId, name: row.data.device_name ?? row.data.name ?? 'Unnamed device', lastSeenAtMs: timeMs(row.data.seen_at_ms ?? row.data.last_seen_at_ms ?? row.data.last_seen_at ?? row.data.last_seen), grants: Array.isArray(grants) ? grants : Object.keys(grants ?? {}) }]
  })
}

const Fresh = z.object({ code: z.string(), claim_url: z.optional(z.string()) })
/** The relay knows best under which address another device reaches it; our own is the fallback. */
export function parseFreshCode(body: unknown, appUrl: string): FreshCode | null {
  const parsed = Fresh.safeParse(body)
  return parsed.success ? { code: parsed.data.code, url: parsed.data.claim_url ?? `${appUrl}#claim=${parsed.data.code}` } : null
}

/** The device that came since the code was made: the one that used it. `before` is null while no code is shown. */
export const newcomer = (before: readonly string[] | null, now: readonly Device[]): Device | null => (before === null ? null : now.find((device) => !before.includes(device.deviceId)) ?? null)
