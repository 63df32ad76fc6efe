/** The models of a server, asked once and bounded. The agent's own client asks, so that what works here works in a chat. */
import type { Chance, Clock } from '#relay/clock/clock.ts'

export type ModelsAnswer = { ok: true; models: string[] } | { ok: false; code: string; say: string; next: string }
export type AskModels = (baseUrl: string, key: string | null, withinMs?: number) => Promise<ModelsAnswer>

export const MODELS_WITHIN_MS = 10_000

export const createAskModels = ({ clock, chance }: { clock: Clock; chance: Chance }): AskModels => async (baseUrl, apiKey, withinMs = MODELS_WITHIN_MS) => {
  const [{ MODEL_TIMING, ModelClient }, { ModelFailed }] = await Promise.all([import('../embedded/agent/model-client.ts'), import('../embedded/agent/model-failure.ts')])
  try {
    return { ok: true, models: await new ModelClient({ provider: { baseUrl, model: '', apiKey }, clock, chance, timing: { ...MODEL_TIMING, modelsMs: withinMs } }).models() }
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error
    const { code, say, next } = error.failure
    return { ok: false, code, say, next: code === 'refused_key' ? 'Enter a valid key.' : next }
  }
}
