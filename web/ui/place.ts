/** Where a popover stands: beside its anchor, on the other side when there is no room, never over an edge. */
export type Box = { left: number; top: number; right: number; bottom: number }
export type Size = { width: number; height: number }
export type Side = 'below' | 'above'

/** Distance from the edges of the window, in px. */
export const EDGE_PX = 8

export function placeBeside(anchor: Box, size: Size, view: Size, want: { side: Side; align: 'start' | 'end' | 'center'; gap: number }): { left: number; top: number; side: Side } {
  const room = { below: view.height - anchor.bottom - want.gap - EDGE_PX, above: anchor.top - want.gap - EDGE_PX }
  const other: Side = want.side === 'below' ? 'above' : 'below'
  const side = size.height <= room[want.side] || room[want.side] >= room[other] ? want.side : other
  const top = side === 'below' ? anchor.bottom + want.gap : anchor.top - want.gap - size.height
  const left = want.align === 'start' ? anchor.left : want.align === 'end' ? anchor.right - size.width : (anchor.left + anchor.right - size.width) / 2
  return { left: inside(left, size.width, view.width), top: inside(top, size.height, view.height), side }
}

/** Measured, placed and moved there. Lengths of a zoomed element are those of its zoom, measures are those of the window. */
export function putBeside(anchor: HTMLElement, popover: HTMLElement, want: Parameters<typeof placeBeside>[3]): Side {
  const zoom = popover.currentCSSZoom || 1
  const size = { width: popover.offsetWidth * zoom, height: popover.offsetHeight * zoom } // Not its box: that is smaller while it grows in.
  const { left, top, side } = placeBeside(anchor.getBoundingClientRect(), size, { width: innerWidth, height: innerHeight }, want)
  popover.style.left = `${left / zoom}px`
  popover.style.top = `${top / zoom}px`
  return side
}

const inside = (from: number, length: number, whole: number): number => Math.max(EDGE_PX, Math.min(from, whole - length - EDGE_PX))
