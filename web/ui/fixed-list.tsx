/** A list of which only what is in sight exists. Heights are known before anything is drawn, so that a row costs nothing until it is seen. */
import './fixed-list.css'
import { createComputed, createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount } from 'solid-js'

/** Drawn beyond both edges, in px. */
const BEYOND_PX = 280
/** Rows left before the end when more are asked for. */
const NEAR_END_ROWS = 40

export type ListHandle = { /** Makes the row exist and moves it into sight. */ reveal(key: string): void }
type Props<Item> = {
  label: string; items: readonly Item[]; keyOf(item: Item): string; heightOf(item: Item): number; setSize?: number
  /** Exists wherever the list stands: the row that has the focus. */
  held?: string | null; onNearEnd?: () => void; ref?: (handle: ListHandle) => void; children: (item: () => Item, key: string) => JSX.Element; after?: JSX.Element
}

/** The first index whose end lies behind `at`. */
function indexAt(tops: Float64Array, at: number): number {
  let [low, high] = [0, tops.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tops[middle + 1] as number) > at) high = middle
    else low = middle + 1
  }
  return low
}

export function FixedList<Item>(props: Props<Item>) {
  let box!: HTMLDivElement
  const [view, setView] = createSignal({ top: 0, height: 800 }, { equals: (a, b) => a.top === b.top && a.height === b.height })
  const laid = createMemo(() => {
    const tops = new Float64Array(props.items.length + 1)
    const at = new Map<string, number>()
    props.items.forEach((item, index) => { tops[index + 1] = (tops[index] as number) + props.heightOf(item); at.set(props.keyOf(item), index) })
    return { items: props.items, tops, at }
  })
  const total = (): number => laid().tops[laid().items.length] ?? 0
  const range = createMemo(() => {
    const { tops, items } = laid()
    if (items.length === 0) return [0, 0] as const
    return [indexAt(tops, Math.max(0, view().top - BEYOND_PX)), Math.min(items.length, indexAt(tops, view().top + view().height + BEYOND_PX) + 1)] as const
  }, undefined, { equals: (a, b) => a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1] })
  const keys = createMemo(() => {
    const { items, at } = laid()
    const [from, to] = range()
    const found = items.slice(from, to).map(props.keyOf)
    const held = props.held
    const heldAt = held === null || held === undefined ? undefined : at.get(held)
    if (heldAt !== undefined && heldAt < from) found.unshift(held as string)
    else if (heldAt !== undefined && heldAt >= to) found.push(held as string)
    return found
  })
  // A row that is moved among its neighbours loses the focus to nobody.
  let hadFocus: HTMLElement | null = null
  createComputed(on(keys, () => { const active = document.activeElement; hadFocus = active instanceof HTMLElement && box?.contains(active) ? active : null }))
  createEffect(on(keys, () => { if (hadFocus?.isConnected && document.activeElement !== hadFocus) hadFocus.focus({ preventScroll: true }) }))
  const read = (): void => { setView({ top: box.scrollTop, height: box.clientHeight }) }
  let frame = 0
  const onScroll = (): void => { if (frame === 0) frame = requestAnimationFrame(() => { frame = 0; read() }) }
  onMount(() => {
    read()
    const watch = new ResizeObserver(read)
    watch.observe(box)
    onCleanup(() => { watch.disconnect(); cancelAnimationFrame(frame) })
  })
  // What is looked at stays where it is when rows come in above it.
  createEffect(on(laid, (now, before) => {
    const first = before && box.scrollTop > 0 ? before.items[indexAt(before.tops, box.scrollTop)] : undefined
    if (!before || first === undefined) return
    const key = props.keyOf(first)
    const moved = now.at.get(key)
    if (moved === undefined) return
    const by = (now.tops[moved] as number) - (before.tops[before.at.get(key) as number] as number)
    if (by !== 0) { box.scrollTop += by; read() }
  }))
  createEffect(() => { if (range()[1] >= laid().items.length - NEAR_END_ROWS) { void laid(); props.onNearEnd?.() } })
  props.ref?.({
    reveal(key) {
      const { at, tops } = laid()
      const index = at.get(key)
      if (index === undefined) return
      const [top, bottom] = [tops[index] as number, tops[index + 1] as number]
      if (top < box.scrollTop) box.scrollTop = top
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
      read()
    },
  })
  return (
    <div class="list" ref={box} onScroll={onScroll}>
      <ul class="fixed-list" aria-label={props.label} style={{ height: `${total()}px` }}>
        <For each={keys()}>{(key) => {
          const index = createMemo((old: number) => laid().at.get(key) ?? old, 0)
          const item = createMemo<Item>((old) => laid().items[index()] ?? (old as Item))
          return <li class="fixed-item" aria-setsize={props.setSize ?? laid().items.length} aria-posinset={index() + 1} style={{ transform: `translateY(${laid().tops[index()] ?? 0}px)` }}>{props.children(item, key)}</li>
        }}</For>
      </ul>
      {props.after}
    </div>
  )
}
