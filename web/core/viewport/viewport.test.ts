import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anchorAt, heightOf, layoutOf, placeRows, rangeOf, rowAt, topOf } from './viewport.ts'

const rows = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 60, selector: ([key]) => key })
const build = (list: [string, number][]) => layoutOf(list.map(([key]) => key), (_, index) => list[index]?.[1] ?? 0)

test('what comes, grows or goes above the eye moves nothing in sight', () => {
  fc.assert(fc.property(rows, rows, fc.nat(10_000), (list, more, y) => {
    const before = build(list)
    const top = Math.min(y, Math.max(0, heightOf(before) - 100))
    const anchor = anchorAt(before, top)
    const known = new Set(list.map(([key]) => key))
    const after = build([...more.filter(([key]) => !known.has(key)), ...list.map(([key, h], at): [string, number] => [key, at < rowAt(before, top) ? h * 3 : h])])
    if (anchor.kind !== 'row') return
    const delta = topOf(after, anchor, 100, 0) - topOf(before, anchor, 100, 0)
    for (const [key] of list.slice(rowAt(before, top))) expect((after.tops[after.at.get(key) ?? 0] ?? 0) - (before.tops[before.at.get(key) ?? 0] ?? 0)).toBe(delta)
  }), { seed: 20_261_201 })
})

test('drawn rows and the space between them lie exactly where the layout says', () => {
  fc.assert(fc.property(rows, fc.nat(8_000), fc.nat(600), fc.nat(59), (list, top, margin, pin) => {
    const layout = build(list)
    const range = rangeOf(layout, top, 500, margin)
    const { rows: placed, restPx } = placeRows(layout, range, new Set([layout.keys[pin % layout.keys.length] ?? '']))
    let edge = 0
    for (const { key, gapPx } of placed) {
      expect(gapPx).toBeGreaterThanOrEqual(0)
      expect(edge + gapPx).toBe(layout.tops[layout.at.get(key) ?? -1])
      edge = layout.tops[(layout.at.get(key) ?? 0) + 1] ?? 0
    }
    expect(edge + restPx).toBe(heightOf(layout))
    for (let index = 0; index < list.length; index += 1) {
      const inSight = (layout.tops[index] ?? 0) < top + 500 && (layout.tops[index + 1] ?? 0) > top
      if (inSight) expect(placed.some((one) => one.key === layout.keys[index])).toBe(true)
    }
  }), { seed: 20_261_201 })
})

test('at the end the eye stays at the end; a row that is gone leaves it where it was', () => {
  const layout = build([['a', 100], ['b', 200], ['c', 300]])
  expect(topOf(layout, { kind: 'end' }, 250, 0)).toBe(350)
  expect(topOf(layout, { kind: 'row', key: 'gone', offset: 3 }, 250, 42)).toBe(42)
  expect(topOf(build([]), { kind: 'end' }, 250, 0)).toBe(0)
  expect(anchorAt(build([]), 10)).toEqual({ kind: 'end' })
  expect(rangeOf(build([]), 0, 100, 0)).toEqual({ first: 0, last: -1 })
})
