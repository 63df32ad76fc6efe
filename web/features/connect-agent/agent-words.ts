/** What stands behind the relay, in words. Pure. */
import type { AgentState } from '#protocol/agent/agent-state.ts'

export type Server = { name: string; baseUrl: string; needsKey: boolean }
/** Servers that many have; any other OpenAI-compatible one works too. */
export const SERVERS: readonly Server[] = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false }, { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', needsKey: false },
  { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1', needsKey: true }, { name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', needsKey: true },
]

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

export function nowWords({ choice, decided_by: by, managed }: AgentState): { title: string; hint: string; badge: string; tone: 'ok' | 'warn' } {
  const why = { setting: 'set when the relay was started', app: 'chosen here', found: 'found on the host' }[by]
  if (choice.kind === 'demo') return { title: 'The built-in demo', hint: 'It follows a script and cannot think.', badge: 'demo', tone: 'warn' }
  if (choice.kind === 'provider') return { title: choice.model, hint: `The built-in agent, with a model of ${hostOf(choice.base_url)} · ${why}`, badge: 'ready', tone: 'ok' }
  if (choice.kind === 'managed') return { title: 'Hermes', hint: `Installed by the relay, in its data folder · ${why}`, badge: managed.no_model ? 'no model' : managed.running ? 'running' : 'starting', tone: managed.running && !managed.no_model ? 'ok' : 'warn' }
  return { title: 'Hermes', hint: `${hostOf(choice.url)} · ${why}`, badge: 'ready', tone: 'ok' }
}

/** Whole percent, for eyes and screen readers. */
export const percentOf = ({ done, total }: { done: number; total: number }): number => Math.max(0, Math.min(100, Math.floor((100 * done) / Math.max(1, total))))

/** The relay prepares something: the page looks again soon. */
export const isBusy = ({ switching, managed: { progress, wanted } }: AgentState): boolean => switching || (wanted && progress !== null && progress.phase !== 'ready' && progress.phase !== 'failed')
