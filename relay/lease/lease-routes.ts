/** HTTP beside the `live` channel: events too large for the socket, and taking a delete back. */
import { Hono } from 'hono'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { DeviceGate } from '../auth/device-gate.ts'
import type { Deletions } from './deletions.ts'
import type { LeaseRegistry } from './lease-registry.ts'

type Env = { Bindings: { address: string; corsOrigin: string | null } }

export function createLeaseRoutes({ registry, deletions, gate }: { registry: LeaseRegistry; deletions: Deletions; gate: DeviceGate }): Hono<Env> {
  const routes = new Hono<Env>()
  routes.get('/live/events/:epoch/:seq{[0-9]{1,15}}', async (context) => {
    await gate(context.req.raw, context.env.address, 'chat')
    const json = registry.largeEvent(context.req.param('epoch'), Number(context.req.param('seq')))
    if (json === null) throw new Refused('route_unknown') // Fallen out: the page asks for a snapshot.
    return context.body(json, 200, { 'content-type': 'application/json' })
  })
  routes.post('/sessions/:id{[0-9A-Za-z_.:-]{1,128}}/undelete', async (context) => {
    await gate(context.req.raw, context.env.address, 'manage')
    if (!(await deletions.undo(context.req.param('id')))) throw new Refused('session_unknown')
    return context.json({ ok: true })
  })
  return routes
}
