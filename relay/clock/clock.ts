/** Time and chance as inputs, so that a test can step them (style.md: could a test step the time instead of waiting?). */
import { randomBytes, randomUUID } from 'node:crypto'

export type TimerHandle = { readonly timer: unique symbol } | object

export interface Clock {
  /** Wall time, ms since 1970. */
  now(): number
  setTimer(run: () => void, delayMs: number): TimerHandle
  clearTimer(handle: TimerHandle): void
}

export interface Chance {
  /** A number in [0, 1). */
  unit(): number
  /** An unguessable id, 36 characters. */
  uuid(): string
  /** `bytes` random bytes in base64url, without padding. */
  token(bytes: number): string
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (run, delayMs) => setTimeout(run, delayMs),
  clearTimer: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

export const systemChance: Chance = { unit: () => Math.random(), uuid: () => randomUUID(), token: (bytes) => randomBytes(bytes).toString('base64url') }
