/**
 * Slows guessing without locking the owner out (ruling 20): failures count per address, kind of credential and token prefix, so the
 * stale tab on the same machine blocks only its own token. Pure: the caller brings the time.
 */
import { TOKEN_PREFIX_CHARS } from './secrets.ts'

export type CredentialKind = 'session' | 'refresh' | 'code'

/** Failures within the window that start a block; a person mistyping a code gets more patience than a bad token. */
export const FAILURES_MAX: Readonly<Record<CredentialKind, number>> = { session: 5, refresh: 5, code: 10 }
export const WINDOW_MS = 60_000
export const BLOCK_MS: Readonly<Record<CredentialKind, number>> = { session: 300_000, refresh: 300_000, code: 120_000 }
/** Wrong codes from all addresses together since the last fresh one; then every open code is withdrawn, and guessing on is for nothing. */
export const FAILED_CODES_MAX = 200
/** Rows of the table; at the bound the row that failed longest ago makes room. */
export const RATE_ROWS_MAX = 4_096

type Row = { failuresMs: number[]; blockedUntilMs: number }

export class RateLimit {
  readonly #rows = new Map<string, Row>()
  #failedCodes = 0

  get size(): number {
    return this.#rows.size
  }

  isBlocked(address: string, kind: CredentialKind, prefix: string, nowMs: number): boolean {
    return (this.#rows.get(keyOf(address, kind, prefix))?.blockedUntilMs ?? 0) > nowMs
  }

  fail(address: string, kind: CredentialKind, prefix: string, nowMs: number): void {
    const key = keyOf(address, kind, prefix)
    const row = this.#rows.get(key) ?? { failuresMs: [], blockedUntilMs: 0 }
    row.failuresMs = [...row.failuresMs.filter((atMs) => atMs > nowMs - WINDOW_MS), nowMs].slice(-FAILURES_MAX[kind])
    if (row.failuresMs.length >= FAILURES_MAX[kind]) {
      row.blockedUntilMs = nowMs + BLOCK_MS[kind]
      row.failuresMs = []
    }
    this.#rows.delete(key) // Insertion order is failure order: the first row is the oldest.
    this.#rows.set(key, row)
    while (this.#rows.size > RATE_ROWS_MAX) this.#rows.delete(this.#rows.keys().next().value as string)
  }

  succeed(address: string, kind: CredentialKind, prefix: string): void {
    this.#rows.delete(keyOf(address, kind, prefix))
  }

  /** A guess at a code while one is open; true when the budget is spent. */
  spendCode(): boolean {
    this.#failedCodes += 1
    return this.#failedCodes >= FAILED_CODES_MAX
  }

  /** A fresh code on the host forgives everyone. */
  clear(): void {
    this.#failedCodes = 0
    this.#rows.clear()
  }
}

/** A code has no prefix worth keying by: each guess would be a key of its own and no guess would ever be blocked. */
const keyOf = (address: string, kind: CredentialKind, prefix: string): string => `${address}|${kind}|${kind === 'code' ? '' : prefix.slice(0, TOKEN_PREFIX_CHARS)}`
