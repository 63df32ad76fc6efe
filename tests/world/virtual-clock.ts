/** A clock that stands still until a test moves it. Timers fire in time order (equal times: in the order they were set), and everything that promises can do happens between two of them. */
import type { Clock, TimerHandle } from '#relay/clock/clock.ts'

/** Timers that one `runUntilIdle` may fire before it gives up: a loop without a limit hangs the build instead of failing it. */
export const STEPS_MAX = 1_000_000

export interface VirtualClock extends Clock {
  /** Moves time on by `ms`, firing what falls due. */
  advance(ms: number): Promise<void>
  /** Fires timers until none waits, or until `untilMs` (wall time). Answers how many fired; throws beyond `stepsMax`. */
  runUntilIdle(limits?: { stepsMax?: number; untilMs?: number }): Promise<number>
  /** Lets promises run; time stands still. */
  settle(): Promise<void>
  /** Timers that wait. */
  pending(): number
  /** When the next timer falls due, wall time. */
  nextAtMs(): number | null
}

type Entry = { atMs: number; order: number; run: (() => void) | null }

const before = (a: Entry, b: Entry): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** One turn of the event loop: every promise that can settle has settled after it. */
const drain = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function createVirtualClock(startMs = Date.UTC(2026, 10, 30, 12)): VirtualClock {
  let nowMs = startMs
  let order = 0
  let waiting = 0
  const heap: Entry[] = []

  const push = (entry: Entry): void => {
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }
  const pop = (): void => {
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1
      if (!before(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
  /** The first timer that was not cleared. */
  const peek = (): Entry | undefined => {
    while (heap[0] && heap[0].run === null) pop()
    return heap[0]
  }
  const fireNext = (untilMs: number): boolean => {
    const next = peek()
    if (!next || next.atMs > untilMs) return false
    pop()
    nowMs = Math.max(nowMs, next.atMs)
    const run = next.run!
    next.run = null
    waiting -= 1
    run()
    return true
  }
  const advanceTo = async (untilMs: number): Promise<void> => {
    await drain()
    while (fireNext(untilMs)) await drain()
    nowMs = Math.max(nowMs, untilMs)
  }

  return {
    now: () => nowMs,
    setTimer(run, delayMs) {
      const entry: Entry = { atMs: nowMs + Math.max(0, Number.isFinite(delayMs) ? delayMs : 0), order: order++, run }
      waiting += 1
      push(entry)
      return entry
    },
    clearTimer(handle: TimerHandle) {
      const entry = handle as Entry
      if (entry.run === null) return
      entry.run = null
      waiting -= 1
    },
    advance: (ms) => advanceTo(nowMs + ms),
    async runUntilIdle({ stepsMax = STEPS_MAX, untilMs = Number.POSITIVE_INFINITY } = {}) {
      let fired = 0
      await drain()
      while (fireNext(untilMs)) {
        fired += 1
        if (fired > stepsMax) throw new Error(`the world did not come to rest within ${stepsMax} timers`)
        await drain()
      }
      return fired
    },
    settle: drain,
    pending: () => waiting,
    nextAtMs: () => peek()?.atMs ?? null,
  }
}
