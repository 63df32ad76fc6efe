/** What a signed-in page can do about devices: see them, sign one out, make a code for another. */
import { Hono } from 'hono'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { Clock } from '#relay/clock/clock.ts'
import { type Auth, isGranted, type Principal } from './auth.ts'
import type { DeviceGate } from './device-gate.ts'

type Env = { Bindings: { address: string; corsOrigin: string | null } }
export type DeviceRouteParts = { auth: Auth; clock: Clock; gate: DeviceGate; claimUrl(code: string, request: Request): string }

export function createDeviceRoutes({ auth, clock, gate, claimUrl }: DeviceRouteParts): Hono<Env> {
  const routes = new Hono<Env>()
  routes.get('/me', async (context) => context.json(meOf(await gate(context.req.raw, context.env.address))))
  routes.get('/devices', async (context) => {
    const me = await gate(context.req.raw, context.env.address)
    return context.json({ this_device_id: me.deviceId, devices: await auth.devices() })
  })
  routes.post('/devices/code', async (context) => {
    await gate(context.req.raw, context.env.address, 'admin')
    const { code, expiresAtMs } = await auth.mintCode()
    return context.json({ code, claim_url: claimUrl(code, context.req.raw), expires_at: expiresAtMs / 1_000 })
  })
  routes.delete('/devices/:deviceId', async (context) => {
    const me = await gate(context.req.raw, context.env.address)
    const deviceId = context.req.param('deviceId')
    if (deviceId !== me.deviceId && !isGranted(me, 'admin', clock.now())) throw new Refused('grant_missing', { grant: 'admin' })
    if (!(await auth.revoke(deviceId))) throw new Refused('device_unknown')
    return context.json({ ok: true })
  })
  routes.post('/sign-out', async (context) => {
    await auth.revoke((await gate(context.req.raw, context.env.address)).deviceId)
    return context.json({ ok: true })
  })
  return routes
}

const meOf = ({ deviceId, deviceName, expiresAtMs, grants }: Principal) => ({
  device_id: deviceId, device_name: deviceName, expires_at: expiresAtMs / 1_000, grants: Object.fromEntries(Object.entries(grants).map(([grant, atMs]) => [grant, atMs / 1_000])),
})
