/** `/relay/agent`: what answers, and what should. Looking needs `manage`, changing `admin`: it installs programs and says where prompts go. */
import { Hono } from 'hono'
import { type AgentState, AgentWish, ModelsQuestion } from '#protocol/agent/agent-state.ts'
import type { DeviceGate } from '#relay/auth/device-gate.ts'
import { readJson } from '#relay/http/refusal-answer.ts'

type Env = { Bindings: { address: string; corsOrigin: string | null } }

export interface AgentDoor {
  state(): Promise<AgentState>
  /** Takes the wish on; it comes true later. Throws `Refused`. */
  wish(wish: AgentWish): Promise<void>
  /** `key` undefined: the kept one, if it belongs to this server. */
  models(baseUrl: string, key: string | null | undefined): Promise<string[]>
}

export function createAgentRoutes({ agent, gate }: { agent: AgentDoor; gate: DeviceGate }): Hono<Env> {
  const routes = new Hono<Env>()
  routes.get('/agent', async (context) => {
    await gate(context.req.raw, context.env.address, 'manage')
    return context.json(await agent.state())
  })
  routes.post('/agent', async (context) => {
    await gate(context.req.raw, context.env.address, 'admin')
    await agent.wish(await readJson(context.req.raw, AgentWish))
    return context.json({ ok: true }) // At once: looking at the host would outlast the sockets of the relay as it is now.
  })
  routes.post('/agent/models', async (context) => {
    await gate(context.req.raw, context.env.address, 'admin')
    const { base_url: baseUrl, key } = await readJson(context.req.raw, ModelsQuestion)
    return context.json({ models: await agent.models(baseUrl, key) })
  })
  return routes
}
