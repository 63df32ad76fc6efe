/** Chance that repeats: the same seed gives the same numbers and ids (mulberry32). */
import type { Chance } from '#relay/clock/clock.ts'

export function createSeededChance(seed: number): Chance {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => word() & 0xff))
  return {
    unit: () => word() / 0x1_0000_0000,
    uuid() {
      const raw = bytes(16)
      raw[6] = (raw[6]! & 0x0f) | 0x40
      raw[8] = (raw[8]! & 0x3f) | 0x80
      const hex = raw.toString('hex')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    },
    token: (count) => bytes(count).toString('base64url'),
  }
}
