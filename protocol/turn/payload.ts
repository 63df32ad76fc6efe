/** Reading upstream's payloads, whatever they hold: a wrong kind is as good as nothing. */
import type { Usage } from './turn-event.ts'

export type Payload = Readonly<Record<string, unknown>>

/** The first of these keys that holds text; empty when none does. */
export const text = (payload: Payload, ...keys: string[]): string => {
  for (const key of keys) if (typeof payload[key] === 'string') return payload[key]
  return ''
}
export const textOrNull = (payload: Payload, ...keys: string[]): string | null => text(payload, ...keys) || null
export const num = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)
export const record = (value: unknown): Payload | null => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : null)
/** Text as it stands, anything else as JSON. */
export const asText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Counts under the names of a dialect; `null` when no key is present. */
export function readUsage(value: unknown, names: Readonly<Record<'input' | 'output' | 'total', readonly string[]>>): Usage | null {
  const usage = record(value)
  if (!usage) return null
  const first = (...keys: readonly string[]) => keys.map((key) => num(usage[key])).find((count) => count !== null) ?? null
  const read: Usage = {
    input: first(...names.input), output: first(...names.output), total: first(...names.total),
    contextUsed: first('context_used'), contextMax: first('context_max'), contextPercent: first('context_percent'),
  }
  return Object.values(read).every((count) => count === null) ? null : read
}
