/** The models that the person can choose from: what the server offers, asked now and again, and what they named themselves. */
import type { Json } from '../player-core.ts'
import type { AgentCore } from './agent-core.ts'
import { PROVIDER_SLUG } from './agent-sessions.ts'
import { ModelFailed } from './model-failure.ts'

/** A list is asked for again after this long, in ms. */
const FRESH_MS = 60_000
const kept = new WeakMap<AgentCore, { atMs: number; names: string[]; warning: string }>()

export async function modelOptions(core: AgentCore): Promise<Json> {
  const known = kept.get(core)
  const list = known && core.clock.now() - known.atMs < FRESH_MS ? known : await ask(core)
  kept.set(core, list)
  const names = [...new Set([core.parts.model, ...list.names])]
  return {
    providers: [{
      slug: PROVIDER_SLUG, name: core.parts.client.host, is_current: true, is_user_defined: true, models: names, total_models: names.length, source: 'built-in', authenticated: true, warning: list.warning,
      capabilities: Object.fromEntries(names.map((name) => [name, { fast: false, reasoning: false }])),
    }],
    model: core.parts.model, provider: PROVIDER_SLUG,
  }
}

async function ask(core: AgentCore): Promise<{ atMs: number; names: string[]; warning: string }> {
  try {
    return { atMs: core.clock.now(), names: await core.parts.client.models(), warning: '' }
  } catch (error) {
    return { atMs: core.clock.now(), names: [], warning: error instanceof ModelFailed ? error.failure.say : 'The list of models could not be read.' }
  }
}
