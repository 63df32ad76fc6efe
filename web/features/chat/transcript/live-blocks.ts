/** A running answer in rows: paced for the eye, read block by block, settled blocks never again (ruling 13, spikes-web.md 4). */
import { createSignal, onCleanup } from 'solid-js'
import { type Blocks, type BlockToken, finishBlocks, growBlocks, noBlocks, OPEN_CHARS_MAX } from '../markdown/settled-blocks.ts'
import { FLOOD_CHARS, LAST_FRAMES, mayDrawFlood, paceStep, STEP_CHARS_MIN } from '../paced-text.ts'
import { blockRows } from './rows.ts'
import type { Row } from './row.ts'

/** A long open block (a table, one endless line) is read again at most so often, in ms: typing must not wait for it. */
const LONG_TAIL_MS = 100

type Segment = { text: string; shown: number; isGrowing: boolean; leastChars: number; blocks: Blocks; settledRows: Row[]; rows: Row[]; readText: string; readAtMs: number; level: number }
export type LiveBlocks = ReturnType<typeof createLiveBlocks>

export function createLiveBlocks() {
  const segments = new Map<string, Segment>()
  const [frameCount, setFrameCount] = createSignal(0)
  let frame = 0
  const isSeen = (): boolean => document.visibilityState === 'visible'
  let drawnAtMs = 0
  let typedAtMs = Number.NEGATIVE_INFINITY
  const onInput = (): void => { typedAtMs = performance.now() }
  document.addEventListener('input', onInput, true)
  onCleanup(() => document.removeEventListener('input', onInput, true))
  const run = (nowMs: number): void => {
    frame = 0
    const waiting = Math.max(0, ...[...segments.values()].map(({ text, shown }) => text.length - shown))
    if (waiting > FLOOD_CHARS && !mayDrawFlood({ nowMs, drawnAtMs, typedAtMs })) return schedule()
    drawnAtMs = nowMs
    let more = false
    for (const segment of segments.values()) {
      if (segment.shown >= segment.text.length) continue
      segment.shown = isSeen() ? paceStep(segment.shown, segment.text, segment.leastChars) : segment.text.length
      more ||= segment.shown < segment.text.length
    }
    setFrameCount((count) => count + 1)
    if (more) schedule()
  }
  const schedule = (): void => { if (frame === 0) frame = requestAnimationFrame(run) }
  let late: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => { cancelAnimationFrame(frame); clearTimeout(late) })

  function read(prefix: string, item: string, segment: Segment): void {
    const text = segment.isGrowing ? segment.text.slice(0, segment.shown) : segment.text
    if (text === segment.readText && (segment.isGrowing || segment.blocks.tail.length === 0)) return
    const openChars = segment.readText.length - segment.blocks.settledText.length
    if (segment.isGrowing && openChars > OPEN_CHARS_MAX && performance.now() - segment.readAtMs < LONG_TAIL_MS) {
      late ??= setTimeout(() => { late = undefined; setFrameCount((count) => count + 1) }, LONG_TAIL_MS)
      return
    }
    const before = segment.blocks
    const next = segment.isGrowing ? growBlocks(before, text) : finishBlocks(before, text)
    segment.blocks = next
    segment.readText = text
    segment.readAtMs = performance.now()
    const kept = sharedCount(before, next)
    if (kept < segment.settledRows.length) segment.settledRows = segment.settledRows.slice(0, kept)
    const from = segment.settledRows.length
    const levelAt = (rows: readonly Row[]): number => { for (let at = rows.length - 1; at >= 0; at -= 1) { const row = rows[at]; if (row?.kind === 'block' && row.token.type === 'heading') return row.level } return segment.level }
    if (next.settled.length > from) segment.settledRows = [...segment.settledRows, ...blockRows(prefix, item, next.settled.slice(from), levelAt(segment.settledRows), false, from)]
    segment.rows = [...segment.settledRows, ...blockRows(prefix, item, next.tail, levelAt(segment.settledRows), segment.isGrowing, segment.settledRows.length)]
  }

  return {
    /** Rows of one text of the running turn; only its last one is paced. Reading it subscribes to the next frame. */
    rows(prefix: string, item: string, text: string, isLast: boolean, level: number): Row[] {
      frameCount()
      let segment = segments.get(prefix)
      if (!segment) {
        segment = { text, shown: text.length, isGrowing: isLast, leastChars: STEP_CHARS_MIN, blocks: noBlocks, settledRows: [], rows: [], readText: '', readAtMs: 0, level }
        segments.set(prefix, segment)
      } else if (text !== segment.text) {
        if (!text.startsWith(segment.text.slice(0, segment.shown))) segment.shown = text.length // Replaced by what was re-read, not extended.
        segment.text = text
      }
      segment.level = level
      // What stands before other blocks is whole at once; the last words of a turn are drawn to their end.
      const leftChars = text.length - segment.shown
      segment.isGrowing = isLast || (leftChars > 0 && leftChars < OPEN_CHARS_MAX)
      if (!segment.isGrowing) segment.shown = text.length
      segment.leastChars = isLast ? STEP_CHARS_MIN : Math.max(segment.leastChars, Math.ceil(leftChars / LAST_FRAMES))
      if (segment.shown < text.length) schedule()
      read(prefix, item, segment)
      return segment.rows
    },
    /** The blocks of a text that was seen to its end: what is then read back from Hermes need not be read again. */
    whole(text: string): readonly BlockToken[] | null {
      for (const { blocks, readText, isGrowing } of segments.values()) if (!isGrowing && blocks.tail.length === 0 && readText.length === text.length && readText === text) return blocks.settled
      return null
    },
    /** Other turns are forgotten. */
    keepOnly(item: string | null): void { for (const key of segments.keys()) if (item === null || !key.startsWith(`${item}.`)) segments.delete(key) },
  }
}

/** Settled blocks that both have; blocks are shared as objects. */
function sharedCount(before: Blocks, next: Blocks): number {
  if (next.settled === before.settled) return before.settled.length
  let at = 0
  while (at < before.settled.length && before.settled[at] === next.settled[at]) at += 1
  return at
}
