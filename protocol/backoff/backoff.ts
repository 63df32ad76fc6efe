/** How long to wait before the next attempt (contract gateway.md 14): doubling with a cap, full jitter. */
export const BACKOFF_FIRST_MS = 500
export const BACKOFF_MS_MAX = 5_000
/** The largest double below 1. */
const UNIT_MAX = 1 - 2 ** -53

/** Longest wait before this attempt, counted from 0. */
export const backoffCapMs = (attempt: number): number => Math.min(BACKOFF_MS_MAX, BACKOFF_FIRST_MS * 2 ** Math.min(Math.max(Math.floor(attempt), 0), 16))

/** A wait between 0 and `capMs`, both included; `u` is chance in [0, 1). */
export const jitterMs = (u: number, capMs: number): number => Math.min(capMs, Math.floor(Math.min(Math.max(u, 0), UNIT_MAX) * (capMs + 1)))
