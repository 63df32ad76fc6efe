/** A refusal of the API server in any of its shapes (contract api-server.md 1.5): code, words, and how long to wait. Pure. */
import { record, text } from '../turn/payload.ts'

/** So much of a body is read, in UTF-16 units. */
export const ERROR_CHARS_MAX = 16 * 1_024
/** A longer pause is not told as a hint, in s. */
export const RETRY_AFTER_S_MAX = 60

export type ApiError = { status: number; code: string | null; message: string; retryAfterS: number | null }

/** Object, string, `detail`, or plain text; an empty body says only its number. */
export function readApiError(status: number, body: string, retryAfter: string | null = null): ApiError {
  const cut = body.slice(0, ERROR_CHARS_MAX)
  const seconds = retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : null
  const said = shapeOf(cut)
  return { status, code: said.code, message: said.message.trim(), retryAfterS: seconds !== null && seconds <= RETRY_AFTER_S_MAX ? seconds : null }
}

function shapeOf(body: string): { code: string | null; message: string } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { code: null, message: body }
  }
  const outer = record(value)
  if (!outer) return { code: null, message: typeof value === 'string' ? value : '' }
  const inner = record(outer['error'])
  if (inner) return { code: text(inner, 'code') || null, message: text(inner, 'message') }
  return { code: text(outer, 'code') || null, message: text(outer, 'error', 'detail', 'message') }
}

/** One line for a log or a detail under a plain sentence. */
export const apiErrorWords = ({ status, code, message, retryAfterS }: ApiError): string =>
  `API error ${status}${code || message ? ': ' : ''}${code ? `${code}${message ? ': ' : ''}` : ''}${message}${retryAfterS === null ? '' : ` (Retry-After: ${retryAfterS}s)`}`
