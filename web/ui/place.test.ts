/** A popover never leaves the window, and turns over when its side is too small. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EDGE_PX, placeBeside } from './place.ts'

const VIEW = { width: 400, height: 600 }
const at = (left: number, top: number) => ({ left, top, right: left + 30, bottom: top + 30 })
const BELOW = { side: 'below', align: 'end', gap: 4 } as const

test('below its anchor, ends aligned', () => expect(placeBeside(at(300, 100), { width: 200, height: 150 }, VIEW, BELOW)).toEqual({ left: 130, top: 134, side: 'below' }))
test('above it, near the lower edge', () => expect(placeBeside(at(300, 560), { width: 200, height: 150 }, VIEW, BELOW)).toEqual({ left: 130, top: 406, side: 'above' }))
test('kept off the edges', () => expect(placeBeside(at(2, 100), { width: 200, height: 150 }, VIEW, BELOW).left).toBe(EDGE_PX))

test('whatever fits the window stays in it', () => {
  fc.assert(fc.property(fc.nat(370), fc.nat(570), fc.integer({ min: 10, max: 380 }), fc.integer({ min: 10, max: 580 }), fc.constantFrom('start', 'end', 'center'), (left, top, width, height, align) => {
    const got = placeBeside(at(left, top), { width, height }, VIEW, { side: 'above', align, gap: 4 })
    expect(got.left).toBeGreaterThanOrEqual(EDGE_PX)
    expect(got.left + width).toBeLessThanOrEqual(VIEW.width - EDGE_PX)
    expect(got.top).toBeGreaterThanOrEqual(EDGE_PX)
    expect(got.top + height).toBeLessThanOrEqual(VIEW.height - EDGE_PX)
  }), { seed: 20_261_201, numRuns: 300 })
})
