import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FLOOD_DRAW_MS, FLOOD_TYPING_MS, LAST_FRAMES, mayDrawFlood, paceStep, STEP_CHARS_MAX, TYPING_MS } from './paced-text.ts'

test('every step moves on, never past the end, never through a pair, never more than the cap', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
    let shown = 0
    for (let steps = 0; shown < text.length; steps += 1) {
      const next = paceStep(shown, text)
      expect(next).toBeGreaterThan(shown)
      expect(text.slice(shown, next).isWellFormed()).toBe(text.slice(shown).isWellFormed() ? true : text.slice(shown, next).isWellFormed())
      shown = next
      expect(steps).toBeLessThan(1_000)
    }
    expect(shown).toBe(text.length)
  }))
  expect(paceStep(0, 'x'.repeat(1_000_000))).toBe(STEP_CHARS_MAX)
})

test('what is left of a finished answer is there after a few frames', () => {
  const text = 'x'.repeat(STEP_CHARS_MAX)
  let shown = 0
  for (let frame = 0; frame < LAST_FRAMES; frame += 1) shown = paceStep(shown, text, Math.ceil(text.length / LAST_FRAMES))
  expect(shown).toBe(text.length)
})

test('a flood is drawn now and then; while a person types, behind the frame of a key, and at last all the same', () => {
  const may = (nowMs: number, drawnAtMs: number, typedAtMs: number): boolean => mayDrawFlood({ nowMs, drawnAtMs, typedAtMs })
  expect([may(1_000, 1_000 - FLOOD_DRAW_MS + 1, 0), may(1_000, 1_000 - FLOOD_DRAW_MS, 0)]).toEqual([false, true])
  expect([may(1_000, 900, 995), may(1_016, 900, 995)]).toEqual([false, true])
  expect([may(1_032, 1_016, 995), may(1_016 + FLOOD_TYPING_MS, 1_016, 995)]).toEqual([false, true])
  expect(may(995 + TYPING_MS + 1, 995 + TYPING_MS - FLOOD_DRAW_MS, 995)).toBe(true)
})
