/**
 * The log: JSON lines on stderr. Tokens, codes, prompts and answers never get in: errors are reduced to what our own code says about them,
 * and every finished line is searched once more for what looks like a credential.
 */
import { type DestinationStream, pino } from 'pino'
import { Refused } from '#protocol/refusal/refusal.ts'

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug'
export interface Log {
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
}

/** Names of facts that may hold what a person wrote, or a secret: their length is logged instead. */
const UNSAID = new Set(['text', 'prompt', 'answer', 'value', 'payload', 'body', 'frame', 'message', 'token', 'code', 'password', 'secret', 'title', 'query', 'url', 'authorization', 'cookie'])
const STACK_LINES_MAX = 12

export function createLog(level: LogLevel, destination: DestinationStream = pino.destination({ dest: 2, sync: true })): Log {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub } }, destination)
  const write = (at: Exclude<LogLevel, 'silent'>) => (event: string, facts: Readonly<Record<string, unknown>> = {}) => log[at](sayable(facts), event)
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') }
}

function sayable(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => {
    if (value instanceof Error) return [name, errorFacts(value)]
    if (UNSAID.has(name.toLowerCase())) return [`${name}_length`, typeof value === 'string' ? value.length : (JSON.stringify(value) ?? '').length]
    return [name, typeof value === 'object' && value !== null ? `object of ${Object.keys(value).length}` : value]
  }))
}

/** Messages of other code may quote its input (JSON.parse does): only refusals and our own invariants are quoted. */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const isOurs = error instanceof Refused || /^invariant broken: [\w .,'-]+$/.test(error.message)
  const stack = (error.stack ?? '').replace(error.message, '').split('\n').filter((line) => /^\s+at /.test(line)).slice(0, STACK_LINES_MAX).map((line) => line.trim())
  const { code } = error as { code?: unknown }
  return { name: error.name, ...(typeof code === 'string' && { code }), ...(isOurs ? { message: error.message } : { message_length: error.message.length }), stack, ...(error.cause !== undefined && { cause: errorFacts(error.cause) }) }
}

const CREDENTIALS = [
  /\b(bearer\s+|(?:token|ticket|claim|password|pairing_code|session_token|refresh_token|cookie)["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi,
  /()(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{32,}/g,
] as const

/** The last net: what looks like a credential is taken out of the finished line. */
export const scrub = (line: string): string => CREDENTIALS.reduce((text, pattern) => text.replace(pattern, '$1[redacted]'), line)
