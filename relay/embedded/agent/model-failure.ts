/** Why a model did not answer, as a sentence and what to do. Never holds the key, whatever the server wrote into its refusal. */

export type ModelFailure = {
  code: 'unreachable' | 'refused_key' | 'unknown_model' | 'rate_limited' | 'server_error' | 'refused_request' | 'redirected' | 'malformed' | 'cut' | 'silent' | 'too_long'
  say: string; next: string
  /** How long the server asked us to wait, in ms. */
  retryAfterMs: number | null
  /** Asking again in a moment may help. */
  isPassing: boolean
}

/** Of the server's own words, so much is shown, in UTF-16 units. */
export const DETAIL_CHARS_MAX = 300

export const failureText = ({ say, next }: ModelFailure): string => `${say} ${next}`

export class ModelFailed extends Error {
  readonly failure: ModelFailure
  constructor(failure: ModelFailure) {
    super(failure.say)
    this.failure = failure
  }
}

const make = (code: ModelFailure['code'], say: string, next: string, more: Partial<ModelFailure> = {}): ModelFailure => ({ code, say, next, retryAfterMs: null, isPassing: false, ...more })

export const unreachable = (host: string): ModelFailure =>
  make('unreachable', `The model at ${host} cannot be reached.`, 'Check that its server runs and that the address is right.', { isPassing: true })
export const silent = (seconds: number): ModelFailure => make('silent', `The model said nothing for ${seconds} seconds.`, 'Look whether its server is busy, then send the message again.')
export const cut = (): ModelFailure => make('cut', 'The answer broke off: the line to the model was cut.', 'Send the message again.', { isPassing: true })
export const malformed = (): ModelFailure => make('malformed', 'The model answered in a form that cannot be read.', 'Check that the address belongs to an OpenAI-compatible server.')
export const tooLong = (): ModelFailure => make('too_long', 'The model sent more in one piece than is read.', 'Send the message again, or choose another model.')
export const redirected = (): ModelFailure => make('redirected', "The model's address sends on to another address, which is not followed.", 'Enter the final address of the server.')

/** A refusal by status (RFC 9110). `detail`: the server's own words, already scrubbed. */
export function fromStatus(status: number, model: string, detail: string, retryAfterMs: number | null): ModelFailure {
  const told = detail === '' ? '' : ` It says: ${detail}`
  if (status >= 300 && status < 400) return redirected()
  if (status === 401 || status === 403) return make('refused_key', `The model's server refused the key (${status}).${told}`, 'Enter a valid key in the settings of the relay.')
  if (status === 404 && model === '') return make('unknown_model', `There is no list of models at this address (404).${told}`, 'Check the address: it usually ends in /v1.')
  if (status === 404) return make('unknown_model', `The model "${model}" or its address was not found (404).${told}`, 'Check the address and the name of the model.')
  if (status === 429) {
    const wait = retryAfterMs === null ? 'Wait a moment' : `Wait ${Math.ceil(retryAfterMs / 1_000)} seconds`
    return make('rate_limited', `The model's server takes no more requests now (429).${told}`, `${wait}, then send the message again.`, { retryAfterMs, isPassing: true })
  }
  if (status >= 500) return make('server_error', `The model's server failed (${status}).${told}`, 'Send the message again in a moment.', { retryAfterMs, isPassing: true })
  return make('refused_request', `The model's server refused the request (${status}).${told}`, 'Choose another model, or begin a new conversation.')
}

/** An error that arrived inside the stream. */
export const fromStreamError = (detail: string): ModelFailure =>
  make('server_error', `The model's server failed.${detail === '' ? '' : ` It says: ${detail}`}`, 'Send the message again in a moment.', { isPassing: true })

/** The words of an error body in any of the shapes that servers use, on one line, without the key. */
export function detailOf(body: unknown, apiKey: string | null): string {
  const record = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const error = record['error'] ?? record['detail'] ?? record['message'] ?? (typeof body === 'string' && !/^\s*</.test(body) ? body : '')
  const words = typeof error === 'string' ? error : typeof (error as { message?: unknown } | null)?.message === 'string' ? (error as { message: string }).message : ''
  const scrubbed = apiKey ? words.replaceAll(apiKey, '***') : words
  return scrubbed.replace(/\b(?:sk|key|gsk|pk)-[\w-]{6,}(?:\*+[\w-]*)?/g, '***').replace(/\s+/g, ' ').trim().slice(0, DETAIL_CHARS_MAX)
}

/** `Retry-After` in seconds or as a date; null when absent or unreadable. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null || value.trim() === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
