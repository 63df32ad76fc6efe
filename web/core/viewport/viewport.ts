/**
 * Where the rows of a long list lie, and which of them have to exist. The place of the eye is a row and an offset into it, never a
 * number of pixels from the start: what grows or appears above it then moves nothing (chat-experience 20). Pure.
 */

/** Rows in order with their upper edges, in px; `tops[rows]` is the height of all. */
export type Layout = { keys: readonly string[]; tops: Float64Array; at: ReadonlyMap<string, number> }
/** The eye: `offset` px below the upper edge of row `key` begins the viewport. `end`: it stays at the end, whatever comes. */
export type Anchor = { kind: 'end' } | { kind: 'row'; key: string; offset: number }

export function layoutOf(keys: readonly string[], heightOf: (key: string, index: number) => number): Layout {
  const tops = new Float64Array(keys.length + 1)
  const at = new Map<string, number>()
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string
    at.set(key, index)
    tops[index + 1] = (tops[index] as number) + heightOf(key, index)
  }
  return { keys, tops, at }
}

export const heightOf = (layout: Layout): number => layout.tops[layout.keys.length] ?? 0

/** Index of the row that holds the pixel `y`; the first or last one when it lies outside. */
export function rowAt(layout: Layout, y: number): number {
  let low = 0
  let high = layout.keys.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((layout.tops[middle] as number) <= y) low = middle
    else high = middle - 1
  }
  return low
}

/** Pixels above the viewport; a row that is gone leaves the eye where `fallback` says. */
export function topOf(layout: Layout, anchor: Anchor, viewportPx: number, fallback: number): number {
  const last = Math.max(0, heightOf(layout) - viewportPx)
  if (anchor.kind === 'end') return last
  const index = layout.at.get(anchor.key)
  return index === undefined ? Math.max(0, fallback) : Math.max(0, (layout.tops[index] as number) + anchor.offset)
}

/** The eye at so many pixels. */
export function anchorAt(layout: Layout, top: number): Anchor {
  const index = rowAt(layout, top)
  const key = layout.keys[index]
  return key === undefined ? { kind: 'end' } : { kind: 'row', key, offset: top - (layout.tops[index] as number) }
}

/** Rows that must exist: those in sight and `margin` px around them; first and last index, both included. */
export function rangeOf(layout: Layout, top: number, viewportPx: number, marginPx: number): { first: number; last: number } {
  if (layout.keys.length === 0) return { first: 0, last: -1 }
  return { first: rowAt(layout, top - marginPx), last: rowAt(layout, top + viewportPx + marginPx) }
}

export type Placed = { key: string; gapPx: number }
/** Rows that are drawn, each with the empty space before it; pinned rows (selection, focus) are drawn wherever they lie. */
export function placeRows(layout: Layout, range: { first: number; last: number }, pinned: ReadonlySet<string>): { rows: Placed[]; restPx: number } {
  const wanted = new Set<number>()
  for (let index = range.first; index <= range.last; index += 1) wanted.add(index)
  for (const key of pinned) { const index = layout.at.get(key); if (index !== undefined) wanted.add(index) }
  const rows: Placed[] = []
  let edge = 0
  for (const index of [...wanted].sort((a, b) => a - b)) {
    rows.push({ key: layout.keys[index] as string, gapPx: (layout.tops[index] as number) - edge })
    edge = layout.tops[index + 1] as number
  }
  return { rows, restPx: heightOf(layout) - edge }
}
