/**
 * A long list of rows of unknown height of which only those in sight exist (docs/decisions/0006). The place of the eye is state, the
 * scroll position is its output; heights come from the ResizeObserver alone, so that nothing is measured while text streams.
 */
import { batch, createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount } from 'solid-js'
import { type Anchor, anchorAt, layoutOf, placeRows, rangeOf, topOf } from '#web/core/viewport/viewport.ts'

/** Drawn above and below the viewport, in px: six frames at 6,000 px a second. */
const MARGIN_PX = 640
/** Where the eye comes anew, what is in sight is painted first and what is around it in this many steps, a frame each. */
const MARGIN_STEPS = 4
/** Closer to the end than this, in px, a person follows it (chat-experience 20.1). */
const NEAR_END_PX = 140
/** A scroll that goes on by itself is over when nothing came for so long, in ms. */
const FLING_OVER_MS = 160
/** Heights remembered; the oldest are measured again. */
const HEIGHTS_MAX = 20_000
/** More than every list is high: the browser stops at the end. */
const END_PX = 1e9

export type ListRow = { key: string; estimatePx: number }
export type ListHandle = { toEnd(): void; toKey(key: string, offsetPx: number): void; following(): boolean }
type Props<Row extends ListRow> = {
  rows: readonly Row[]; render(row: () => Row): JSX.Element
  /** Below the rows, not virtual: questions, waits. */
  children: JSX.Element
  onReady(handle: ListHandle): void
  /** Which ends the eye is close to. */
  onEdge(edge: 'start' | 'end'): void
  onKeyDown(event: KeyboardEvent): void
  label: string
  rowClass(row: Row): string
}

export function VirtualList<Row extends ListRow>(props: Props<Row>) {
  let scroller!: HTMLDivElement
  let column!: HTMLDivElement
  const heights = new Map<string, number>()
  const [measured, setMeasured] = createSignal(0)
  const [viewportPx, setViewportPx] = createSignal(800)
  const [anchor, setAnchor] = createSignal<Anchor>({ kind: 'end' })
  const [marginPx, setMarginPx] = createSignal(0)
  const [pinned, setPinned] = createSignal<ReadonlySet<string>>(new Set())
  const byKey = createMemo(() => new Map(props.rows.map((row) => [row.key, row])))
  const layout = createMemo(() => { measured(); return layoutOf(props.rows.map((row) => row.key), (key, index) => heights.get(key) ?? props.rows[index]?.estimatePx ?? 40) })
  let lastTop = 0
  const top = createMemo(() => topOf(layout(), anchor(), viewportPx(), lastTop))
  const placed = createMemo(() => placeRows(layout(), rangeOf(layout(), top(), viewportPx(), marginPx()), pinned()))
  const gaps = createMemo(() => new Map(placed().rows.map(({ key, gapPx }) => [key, gapPx])))
  const keys = createMemo(() => placed().rows.map(({ key }) => key), [], { equals: (a, b) => a.length === b.length && a.every((key, at) => key === b[at]) })

  let widening = 0
  function widen(): void {
    cancelAnimationFrame(widening)
    setMarginPx(0)
    const step = (): void => { if (setMarginPx((px) => Math.min(MARGIN_PX, px + MARGIN_PX / MARGIN_STEPS)) < MARGIN_PX) widening = requestAnimationFrame(step) }
    widening = requestAnimationFrame(() => { widening = requestAnimationFrame(step) })
  }
  onCleanup(() => cancelAnimationFrame(widening))
  /** Far from what is drawn: nothing that is there helps. */
  const isFar = (key: string): boolean => !keys().includes(key)

  // Touch: writing the position ends a fling, so while one goes on what moved is taken from the space above (spikes-web.md 3).
  let touch = false
  let flingUntil = 0
  let drift = 0
  const [driftPx, setDriftPx] = createSignal(0)
  const setDrift = (px: number): void => { drift = px; setDriftPx(px) }
  let settleTimer: ReturnType<typeof setTimeout> | undefined

  let writtenTop = -1
  /** Only in callbacks where layout is clean. */
  function settle(): void {
    const { kind } = anchor()
    if (kind === 'end') { if (drift !== 0) setDrift(0); scroller.scrollTop = END_PX; return }
    const delta = top() + drift - scroller.scrollTop
    if (Math.abs(delta) < 0.5) return
    const first = placed().rows[0]
    if (touch && performance.now() < flingUntil && (first?.gapPx ?? 0) + drift - delta > 0) { setDrift(drift - delta); return }
    scroller.scrollTop = top() + drift
    writtenTop = scroller.scrollTop
  }
  const endFling = (): void => {
    flingUntil = 0
    if (drift === 0) return
    const wanted = scroller.scrollTop - drift
    setDrift(0)
    scroller.scrollTop = wanted
    writtenTop = scroller.scrollTop
  }

  const onScroll = (): void => {
    const now = scroller.scrollTop
    if (Math.abs(now - writtenTop) < 1) { lastTop = now - drift; return } // Ours.
    const wasEnd = anchor().kind === 'end'
    const toEnd = scroller.scrollHeight - now - scroller.clientHeight
    const down = now >= lastTop + drift
    if (wasEnd && down) { lastTop = now; return }
    flingUntil = performance.now() + FLING_OVER_MS
    clearTimeout(settleTimer)
    settleTimer = setTimeout(endFling, FLING_OVER_MS)
    lastTop = now - drift
    setAnchor(toEnd < (down ? NEAR_END_PX : 2) ? { kind: 'end' } : anchorAt(layout(), now - drift))
  }

  onMount(() => {
    const rows = new ResizeObserver((entries) => {
      let changed = false
      for (const entry of entries) {
        const px = entry.borderBoxSize[0]?.blockSize ?? 0
        if (entry.target === scroller) { setViewportPx(entry.contentRect.height); continue }
        const key = (entry.target as HTMLElement).dataset['key']
        if (key === undefined || px === 0 || heights.get(key) === px) continue
        heights.set(key, px)
        changed = true
      }
      if (changed) {
        while (heights.size > HEIGHTS_MAX) heights.delete(heights.keys().next().value ?? '')
        setMeasured((count) => count + 1)
      }
      settle()
    })
    observer = rows
    rows.observe(scroller)
    rows.observe(column)
    for (const row of column.querySelectorAll('[data-key]')) rows.observe(row)
    onCleanup(() => { rows.disconnect(); clearTimeout(settleTimer) })
    widen()
    const select = (): void => { setPinned(pinnedRows(scroller)) }
    document.addEventListener('selectionchange', select)
    scroller.addEventListener('focusin', select)
    scroller.addEventListener('focusout', select)
    onCleanup(() => document.removeEventListener('selectionchange', select))
  })
  let observer: ResizeObserver | null = null

  let widthPx = 0
  createEffect(on(viewportPx, () => { const now = scroller.clientWidth; if (widthPx !== 0 && now !== widthPx) { heights.clear(); for (const row of column.querySelectorAll<HTMLElement>('[data-key]')) { observer?.unobserve(row); observer?.observe(row) } } widthPx = now }))
  // A list that changed moves the eye only when the observer has seen the new rows; without new rows this does it.
  createEffect(on([layout, anchor], () => { if (anchor().kind === 'row') requestAnimationFrame(settle) }))
  createEffect(() => {
    const { rows: drawn } = placed()
    const edges = layout()
    if (drawn.length === 0 || anchor().kind === 'end') return
    if (top() < viewportPx() * 2) props.onEdge('start')
    if ((edges.tops[edges.keys.length] ?? 0) - top() - viewportPx() < viewportPx() * 2) props.onEdge('end')
  })

  props.onReady({
    toEnd() { batch(() => { if (isFar(props.rows.at(-1)?.key ?? '')) widen(); setPinned(pinnedRows(scroller)); setDrift(0); setAnchor({ kind: 'end' }) }); scroller.scrollTop = END_PX },
    toKey(key, offsetPx) { batch(() => { if (isFar(key)) widen(); setPinned(pinnedRows(scroller)); setDrift(0); setAnchor({ kind: 'row', key, offset: -offsetPx }) }) },
    following: () => anchor().kind === 'end',
  })

  return (
    <div class="scroll" ref={scroller} onScroll={onScroll} onTouchStart={() => { touch = true }} onKeyDown={(event) => props.onKeyDown(event)} tabindex="0" role="log" aria-live="off" aria-label={props.label}>
      <div class="col" ref={column}>
        <For each={keys()}>{(key, index) => {
          let last = byKey().get(key) as Row
          const row = createMemo(() => { last = byKey().get(key) ?? last; return last })
          let element!: HTMLDivElement
          onMount(() => observer?.observe(element))
          onCleanup(() => observer?.unobserve(element))
          return <div class={`vrow ${props.rowClass(row())}`} ref={element} data-key={key} style={{ 'margin-top': `${(gaps().get(key) ?? 0) + (index() === 0 ? driftPx() : 0)}px` }}>{props.render(row)}</div>
        }}</For>
        <div aria-hidden="true" style={{ height: `${placed().restPx}px` }} />
        {props.children}
      </div>
    </div>
  )
}

/** Rows that a selection ends in and the one with the focus stay, wherever the eye goes. */
function pinnedRows(scroller: HTMLElement): ReadonlySet<string> {
  const selection = document.getSelection()
  const keys = new Set<string>()
  for (const node of [selection?.isCollapsed ? null : selection?.anchorNode, selection?.isCollapsed ? null : selection?.focusNode, document.activeElement]) {
    const row = (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('[data-key]')
    if (row && scroller.contains(row) && row.dataset['key']) keys.add(row.dataset['key'])
  }
  return keys
}
