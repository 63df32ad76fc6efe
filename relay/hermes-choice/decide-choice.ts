/** What stands behind the relay when it starts: settings, else what a person chose in the app, else what is found on the host, else the demo. */
import { Refused } from '#protocol/refusal/refusal.ts'
import { type ChoiceSettings, type Decided, firstChatModel, OLLAMA_URL, OPENAI_URL, parseProviderUrl, settingsChoice, settingsKey } from './choice.ts'
import type { ChoiceRepo } from './choice-repo.ts'
import type { AskModels } from './provider-models.ts'

/** Ollama is on this machine: it answers at once or not at all. */
export const OLLAMA_WITHIN_MS = 1_500

export type DecideParts = {
  settings: ChoiceSettings; environment: NodeJS.ProcessEnv; repo: ChoiceRepo; askModels: AskModels
  /** The address of a dashboard that runs on this machine. */
  findDashboard(): Promise<string | null>
}

/** @throws Refused when the settings name a provider whose model nobody can know. */
export async function decideChoice(parts: DecideParts): Promise<Decided> {
  const { settings, environment, askModels } = parts
  const set = settingsChoice(settings)
  if (set?.kind === 'provider') {
    const key = settingsKey(set.baseUrl, settings, environment)
    const model = set.model ?? (await firstModel(askModels, set.baseUrl, key))
    if (model === null) throw new Refused('model_unknown')
    return { choice: { ...set, model }, by: 'setting', key }
  }
  if (set) return { choice: set, by: 'setting', key: null }
  const kept = await parts.repo.read()
  if (kept) return { ...kept, by: 'app' }
  return findChoice(parts)
}

/** What is there without anybody having chosen it. */
export async function findChoice({ settings, environment, askModels, findDashboard }: DecideParts): Promise<Decided> {
  const url = await findDashboard()
  if (url !== null) return { choice: { kind: 'dashboard', url }, by: 'found', key: null }
  const model = await findModel({ settings, environment, askModels })
  return model ? { choice: { kind: 'provider', baseUrl: model.baseUrl, model: model.model }, by: 'found', key: model.key } : { choice: { kind: 'demo' }, by: 'found', key: null }
}

export type FoundModel = { baseUrl: string; model: string; key: string | null }

/** A model that this host has: the one of a key in the environment, else one of Ollama. */
export async function findModel({ settings, environment, askModels }: Pick<DecideParts, 'settings' | 'environment' | 'askModels'>): Promise<FoundModel | null> {
  const openAiKey = environment['OPENAI_API_KEY']
  const openAiUrl = parseProviderUrl(environment['OPENAI_BASE_URL'] || OPENAI_URL)
  if (openAiKey && openAiUrl !== null) {
    const model = settings.model ?? (await firstModel(askModels, openAiUrl, openAiKey))
    if (model !== null) return { baseUrl: openAiUrl, model, key: openAiKey }
  }
  const ollama = await askModels(OLLAMA_URL, null, OLLAMA_WITHIN_MS)
  const model = ollama.ok ? (settings.model && ollama.models.includes(settings.model) ? settings.model : firstChatModel(ollama.models)) : null
  return model === null ? null : { baseUrl: OLLAMA_URL, model, key: null }
}

async function firstModel(askModels: AskModels, baseUrl: string, key: string | null): Promise<string | null> {
  const answer = await askModels(baseUrl, key)
  return answer.ok ? firstChatModel(answer.models) : null
}
