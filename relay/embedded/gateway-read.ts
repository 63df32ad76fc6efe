/** Reads one frame that a gateway gets, in upstream's own order of complaints (contract gateway.md 2). */
import type { Json } from './player-core.ts'

/** Largest inbound frame; a larger one closes the socket with 1009, in bytes. */
export const FRAME_BYTES_MAX = 16 * 1_024 * 1_024

export const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parse error, not an object, params not an object (the id is echoed only then). */
export function readFrame(text: string): { raw: Json } | { failure: Json } {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return { failure: { error: { code: -32700, message: 'parse error' }, id: null } }
  }
  if (!isRecord(raw)) return { failure: { id: null, error: { code: -32600, message: 'invalid request: expected an object' } } }
  if (raw['params'] !== undefined && !isRecord(raw['params'])) return { failure: { id: raw['id'] ?? null, error: { code: -32602, message: 'invalid params: expected an object' } } }
  return { raw }
}

/** Parameters as upstream reads them. */
export const str = (value: unknown): string => (typeof value === 'string' ? value : '')
export const yes = (value: unknown): boolean => value === true || value === 1 || value === '1' || value === 'on' || value === 'true'
