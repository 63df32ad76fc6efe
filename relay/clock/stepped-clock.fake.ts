/** Time that only moves when a test says so, in one leap: each timer that is due fires once. For real sockets, which answer in real time; in a world of its own time `tests/world/virtual-clock` fires timers one by one. */
import type { Clock } from './clock.ts'

export type SteppedClock = Clock & { nowMs: number; step(ms: number): void }

export function createSteppedClock(): SteppedClock {
  const timers = new Set<{ atMs: number; run: () => void }>()
  const clock: SteppedClock = {
    nowMs: 1_000_000,
    now: () => clock.nowMs,
    setTimer(run, delayMs) {
      const timer = { atMs: clock.nowMs + delayMs, run }
      timers.add(timer)
      return timer
    },
    clearTimer: (timer) => void timers.delete(timer as { atMs: number; run: () => void }),
    step(ms) {
      clock.nowMs += ms
      for (const timer of [...timers]) if (timer.atMs <= clock.nowMs && timers.delete(timer)) timer.run()
    },
  }
  return clock
}
