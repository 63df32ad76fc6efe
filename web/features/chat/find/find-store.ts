/** A search through one whole conversation, also through what is not on the screen and not yet in this browser. */
import { createEffect, createSignal, on, onCleanup } from 'solid-js'
import { findNeedle, HITS_MAX, rowHolds } from '#web/core/history/find.ts'
import type { Conversation } from '../conversation.ts'
import { rowText } from '../transcript/copy-selection.ts'
import type { Row } from '../transcript/row.ts'
import type { TranscriptHandle } from '../transcript/transcript-view.tsx'

/** A pause in typing, in ms. */
const TYPED_MS = 150
/** Where a hit comes to lie below the upper edge, in px. */
const HIT_AT_PX = 160
/** Frames in which the row of a hit must appear. */
const FRAMES_MAX = 30

type Hit = { rowId: number; n: number } | { key: string }

export function createFind(conversation: Conversation, transcript: () => TranscriptHandle | null) {
  const [query, setQuery] = createSignal('')
  const [hits, setHits] = createSignal<readonly Hit[]>([])
  const [at, setAt] = createSignal(0)
  const [searching, setSearching] = createSignal(false)
  let run = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => { run += 1; clearTimeout(timer) })

  async function search(needle: string): Promise<void> {
    const mine = ++run
    setHits([])
    setAt(0)
    if (needle === '') { setSearching(false); return }
    setSearching(true)
    // What is not stored yet: a running turn, messages on their way.
    const found: Hit[] = conversation.atEnd() ? liveRows().filter((row) => rowText(row).toLowerCase().includes(needle)).map((row) => ({ key: row.key })).reverse() : []
    let first = true
    const publish = (): void => {
      setHits(found.toReversed())
      setAt(found.length)
      if (first && found.length > 0) { first = false; void go(found.length) }
    }
    publish()
    await conversation.history.eachChunk((chunk) => {
      if (mine !== run) return
      const before = found.length
      for (const row of chunk.rows.toReversed()) if (found.length < HITS_MAX && rowHolds(row, needle)) found.push({ rowId: row.id, n: chunk.n })
      if (found.length === before) return
      setHits(found.toReversed())
      setAt((place) => (first ? found.length : place + found.length - before)) // More above: the place in the list moves, the eye does not.
      if (first) { first = false; void go(found.length) }
    }, () => mine !== run || found.length >= HITS_MAX)
    if (mine === run) setSearching(false)
  }
  const liveRows = (): readonly Row[] => { const stored = new Set(conversation.items().flatMap((item) => ('rowIds' in item && item.rowIds ? [item.key] : []))); return (transcript()?.rows() ?? []).filter((row) => !stored.has(row.item)) }

  /** Shows the hit with this number, from 1. */
  async function go(number: number): Promise<void> {
    const hit = hits()[number - 1]
    if (!hit) return
    setAt(number)
    const mine = run
    if ('key' in hit) { transcript()?.toKey(hit.key, HIT_AT_PX); return }
    await conversation.history.openAt(hit.n)
    const row = await frames(() => rowOf(hit))
    if (!row || mine !== run) return
    transcript()?.toKey(row.key, HIT_AT_PX)
    await frames(() => document.querySelector(`[data-key="${CSS.escape(row.key)}"]`))
    if (mine === run) openFolds(row)
  }
  function rowOf(hit: { rowId: number }): Row | null {
    const item = conversation.items().find((one) => 'rowIds' in one && one.rowIds && one.rowIds[0] <= hit.rowId && hit.rowId <= one.rowIds[1])
    if (!item) return null
    const rows = (transcript()?.rows() ?? []).filter((row) => row.item === item.key)
    const holding = rows.filter((row) => rowText(row).toLowerCase().includes(findNeedle(query())))
    const place = hits().filter((one) => 'rowId' in one && 'rowIds' in item && item.rowIds && one.rowId >= item.rowIds[0] && one.rowId < hit.rowId).length
    return holding[Math.min(place, holding.length - 1)] ?? rows[0] ?? null
  }
  /** A thought or a step that hides the words is opened. */
  function openFolds(row: Row): void {
    const element = document.querySelector(`[data-key="${CSS.escape(row.key)}"]`)
    const folds = [...(element?.querySelectorAll('details') ?? [])]
    if (row.kind === 'thinking') for (const fold of folds) fold.open = true
    if (row.kind === 'tools') for (const [index, tool] of row.tools.entries()) if (`${tool.name} ${tool.args} ${tool.result} ${tool.error}`.toLowerCase().includes(findNeedle(query()))) { const fold = folds[index]; if (fold) fold.open = true }
  }

  createEffect(on(query, (words) => { clearTimeout(timer); run += 1; setHits([]); setSearching(findNeedle(words) !== ''); timer = setTimeout(() => void search(findNeedle(words)), TYPED_MS) }, { defer: true }))
  return {
    query, setQuery, hits, at, searching, needle: () => findNeedle(query()),
    next: (): void => { const count = hits().length; if (count > 0) void go(at() >= count ? 1 : at() + 1) },
    previous: (): void => { const count = hits().length; if (count > 0) void go(at() <= 1 ? count : at() - 1) },
  }
}

/** Asks once a frame until there is an answer. */
async function frames<Found>(look: () => Found | null): Promise<Found | null> {
  for (let count = 0; count < FRAMES_MAX; count += 1) {
    const found = look()
    if (found) return found
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return null
}
