/** The window rule, step by step. */
import { expect, test } from 'vitest'
import { BASELINE_MS_MAX, SendWindow, WINDOW_BYTES_FIRST, WINDOW_BYTES_MAX, WINDOW_BYTES_MIN } from './send-window.ts'

function quiet(baselineMs = 0): SendWindow {
  const window = new SendWindow()
  window.answered(window.probe(0), false, baselineMs)
  return window
}
function trip(window: SendWindow, delayMs: number, isHungry = true): void {
  window.sent(window.windowBytes)
  window.answered(window.receiptDue(true, 1_000)!, isHungry, 1_000 + delayMs)
}

test('never more unconfirmed bytes than the window, but one frame of any size', () => {
  const window = quiet()
  expect(window.canSend(10_000_000)).toBe(true)
  window.sent(WINDOW_BYTES_FIRST - 10)
  expect([window.canSend(10), window.canSend(11)]).toEqual([true, false])
})

test('an answered ping confirms all that went before it, once; unknown and repeated answers change nothing', () => {
  const window = quiet()
  window.sent(6_000)
  const first = window.receiptDue(false, 1)!
  window.sent(5_000)
  const second = window.receiptDue(false, 2)!
  window.answered(second, false, 3)
  expect(window.unconfirmedBytes).toBe(0)
  window.answered(first, true, 500)
  window.answered(99, true, 500)
  expect([window.unconfirmedBytes, window.windowBytes]).toEqual([0, WINDOW_BYTES_FIRST])
})

test('a receipt is due after a quarter of the window, or when nothing more waits, never for nothing', () => {
  const window = quiet()
  expect(window.receiptDue(true, 0)).toBeNull()
  window.sent(WINDOW_BYTES_FIRST / 4 - 1)
  expect(window.receiptDue(false, 0)).toBeNull()
  window.sent(1)
  expect(window.receiptDue(false, 0)).not.toBeNull()
  window.sent(1)
  expect(window.receiptDue(true, 0)).not.toBeNull()
})

test('grows for a quick and hungry reader up to WINDOW_BYTES_MAX, not for one with nothing to read', () => {
  const window = quiet()
  trip(window, 5, false)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST)
  for (let n = 0; n < 12; n++) trip(window, 5)
  expect(window.windowBytes).toBe(WINDOW_BYTES_MAX)
})

test('shrinks for a slow one down to WINDOW_BYTES_MIN, stays in between', () => {
  const window = quiet()
  trip(window, 55)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST)
  for (let n = 0; n < 6; n++) trip(window, 150)
  expect(window.windowBytes).toBe(WINDOW_BYTES_MIN)
})

test('distance is not slowness: a reader 200 ms away with a fast line grows', () => {
  const window = quiet(200)
  trip(window, 210)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST * 2)
})

test('a first answer after a long sleep is not believed beyond BASELINE_MS_MAX', () => {
  const window = quiet(60_000)
  trip(window, BASELINE_MS_MAX + 71)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST / 2)
})

test('the first bytes of a burst prove nothing: only a receipt behind a full window grows it, and once per round trip', () => {
  const window = quiet()
  window.sent(WINDOW_BYTES_FIRST / 4)
  const early = window.receiptDue(false, 0)!
  window.sent((WINDOW_BYTES_FIRST * 3) / 4)
  const full = window.receiptDue(false, 0)!
  const alsoFull = window.probe(0)
  window.answered(early, true, 1)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST)
  window.answered(full, true, 2)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST * 2)
  window.answered(alsoFull, true, 3)
  expect(window.windowBytes).toBe(WINDOW_BYTES_FIRST * 2)
})
