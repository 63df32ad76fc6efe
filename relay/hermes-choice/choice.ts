/** What can stand behind the relay, and which addresses of model servers are taken. Pure. */
import { URL_CHARS_MAX } from '#protocol/agent/agent-state.ts'
import type { Config } from '#relay/config.ts'

/** `first`: the model that a managed Hermes began with; the key beside it belongs to that server. */
export type Choice = { kind: 'demo' } | { kind: 'managed'; first?: { baseUrl: string; model: string } } | { kind: 'dashboard'; url: string } | { kind: 'provider'; baseUrl: string; model: string }
export type Decided = { choice: Choice; by: 'setting' | 'app' | 'found'; key: string | null }
export type ChoiceSettings = Pick<Config, 'hermes' | 'provider' | 'model' | 'providerKey'>
export const OPENAI_URL = 'https://api.openai.com/v1'
export const OLLAMA_URL = 'http://127.0.0.1:11434/v1'

/** What the settings decide, or nothing. A provider beside `managed` is the first model of that Hermes. `model: null`: the server's first. */
export function settingsChoice({ hermes, provider, model }: ChoiceSettings): Exclude<Choice, { kind: 'provider' }> | { kind: 'provider'; baseUrl: string; model: string | null } | null {
  if (hermes === 'demo' || hermes === 'embedded') return { kind: 'demo' }
  if (hermes === 'managed') return { kind: 'managed' }
  if (hermes !== 'auto') return { kind: 'dashboard', url: hermes }
  return provider === null ? null : { kind: 'provider', baseUrl: provider, model }
}

/** The key for an address out of the settings. One for OpenAI goes nowhere else. */
export function settingsKey(baseUrl: string, { providerKey }: ChoiceSettings, environment: NodeJS.ProcessEnv): string | null {
  return providerKey ?? (sameServer(baseUrl, environment['OPENAI_BASE_URL'] || OPENAI_URL) ? environment['OPENAI_API_KEY'] || null : null)
}

/** An address as a person wrote it, made plain; nothing when it is not one of a model server. */
export function parseProviderUrl(raw: string): string | null {
  const text = raw.trim()
  if (text.length > URL_CHARS_MAX || !URL.canParse(text)) return null
  const url = new URL(text)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

export const sameServer = (one: string, other: string): boolean => URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin

const NOT_FOR_CHAT = /embed|whisper|tts|dall-?e|moderation|image|audio|realtime|transcri|davinci|babbage|rerank|sora/i
/** Nobody named one: the first that can chat. */
export const firstChatModel = (models: readonly string[]): string | null => models.find((name) => !NOT_FOR_CHAT.test(name)) ?? models[0] ?? null
