/**
 * The part of a long conversation that the page holds: neighbouring chunks of 100 positions, counted from the first row as Hermes counts
 * them (contract gateway.md 13: no `order` in 0.19.0, so offsets from the start are the only stable address). Pure.
 */
import type { MessageRow } from '#protocol/dashboard/message-row.ts'

/** Positions in one chunk; stored, read and dropped together. */
export const CHUNK_ROWS = 100
/** Chunks held at once; the far side is dropped beyond it. */
export const WINDOW_CHUNKS_MAX = 12

/** `raw`: positions that the server has here, at most 100; rows that cannot be shown are not in `rows`. */
export type RowChunk = { n: number; raw: number; rows: readonly MessageRow[] }
/** `chunks`: without a gap, ascending; `count`: positions that the server is known to have. */
export type HistoryWindow = { chunks: readonly RowChunk[]; count: number }

export const emptyWindow: HistoryWindow = { chunks: [], count: 0 }

/** A page that begins at a multiple of 100, cut into chunks; `null` stands for a row that is not shown. */
export function chunksOf(offset: number, slots: readonly (MessageRow | null)[]): RowChunk[] {
  const chunks: RowChunk[] = []
  for (let at = 0; at < slots.length; at += CHUNK_ROWS) {
    const part = slots.slice(at, at + CHUNK_ROWS)
    chunks.push({ n: Math.floor((offset + at) / CHUNK_ROWS), raw: part.length, rows: part.filter((row) => row !== null) })
  }
  return chunks
}

export const firstOf = (window: HistoryWindow): number => window.chunks[0]?.n ?? 0
export const lastOf = (window: HistoryWindow): number => window.chunks.at(-1)?.n ?? 0
export const isAtStart = (window: HistoryWindow): boolean => firstOf(window) === 0
export const endOf = (window: HistoryWindow): number => { const last = window.chunks.at(-1); return last ? last.n * CHUNK_ROWS + last.raw : 0 }
export const isAtEnd = (window: HistoryWindow): boolean => endOf(window) >= window.count
/** Number of the chunk that holds the last position. */
export const lastChunkOf = (count: number): number => Math.max(0, Math.ceil(count / CHUNK_ROWS) - 1)

/** True when what was read again is another history: compressed or rewritten, so that old positions mean nothing. */
export function isRewritten(known: RowChunk | undefined, fresh: RowChunk | undefined): boolean {
  const [was, is] = [known?.rows[0], fresh?.rows[0]]
  return known !== undefined && fresh !== undefined && known.n === fresh.n && was !== undefined && is !== undefined && was.id !== is.id
}

/** The window after the end was read again from chunk `from` on: what the server has no more is gone. */
export function withTail(window: HistoryWindow, from: number, fresh: readonly RowChunk[]): HistoryWindow {
  const kept = window.chunks.filter((chunk) => chunk.n < from)
  const joined = kept.length > 0 && kept.at(-1)?.n !== from - 1 ? fresh : [...kept, ...fresh]
  const chunks = joined.filter((chunk) => chunk.raw > 0)
  const end = chunks.at(-1)
  return trimmed({ chunks, count: end ? end.n * CHUNK_ROWS + end.raw : 0 }, 'start')
}

/** Chunks that adjoin the window are added; others are ignored. What grows too long loses its far side. */
export function withEarlier(window: HistoryWindow, more: readonly RowChunk[]): HistoryWindow {
  const fit = more.filter((chunk) => chunk.n < firstOf(window))
  if (fit.at(-1)?.n !== firstOf(window) - 1 || !isWhole(fit)) return window
  return trimmed({ ...window, chunks: [...fit, ...window.chunks] }, 'end')
}
export function withLater(window: HistoryWindow, more: readonly RowChunk[]): HistoryWindow {
  const fit = more.filter((chunk) => chunk.n > lastOf(window))
  const last = window.chunks.at(-1)
  if (!last || fit[0]?.n !== last.n + 1 || !isWhole([last, ...fit])) return window // A short last chunk is read again first.
  return trimmed({ ...window, chunks: [...window.chunks, ...fit] }, 'start')
}

/** No chunk is missing between, and only the last may be short. */
export const isWhole = (chunks: readonly RowChunk[]): boolean => chunks.every((chunk, at) => at === 0 || (chunk.n === (chunks[at - 1]?.n ?? 0) + 1 && chunks[at - 1]?.raw === CHUNK_ROWS))

function trimmed(window: HistoryWindow, side: 'start' | 'end'): HistoryWindow {
  const over = window.chunks.length - WINDOW_CHUNKS_MAX
  if (over <= 0) return window
  return { ...window, chunks: side === 'start' ? window.chunks.slice(over) : window.chunks.slice(0, -over) }
}

/** How far in the window a fold may begin: a turn that is cut in two would get another name when its beginning arrives. */
const LEAD_ROWS_MAX = 200

/** The rows to show: from the first message of a person on, unless the window begins where the conversation does. */
export function shownRows(window: HistoryWindow): MessageRow[] {
  const rows = window.chunks.flatMap((chunk) => chunk.rows)
  if (isAtStart(window)) return rows
  const first = rows.findIndex((row) => row.role === 'user')
  return first > 0 && first <= LEAD_ROWS_MAX ? rows.slice(first) : rows
}
