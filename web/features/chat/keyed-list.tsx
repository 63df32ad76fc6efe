/** A list by key: a row lives as long as its key, and only what changed in it is drawn. */
import { createMemo, For, type JSX } from 'solid-js'

export function KeyedList<Item extends { key: string }>(props: { items: readonly Item[]; children: (item: () => Item) => JSX.Element }) {
  const byKey = createMemo(() => new Map(props.items.map((item) => [item.key, item])))
  const keys = createMemo(() => [...byKey().keys()])
  return (
    <For each={keys()}>{(key) => {
      let last = byKey().get(key) as Item
      return props.children(createMemo(() => { last = byKey().get(key) ?? last; return last }))
    }}</For>
  )
}
