import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import { CHUNK_ROWS, chunksOf, emptyWindow, endOf, type HistoryWindow, isAtEnd, isAtStart, isRewritten, lastChunkOf, shownRows, WINDOW_CHUNKS_MAX, withEarlier, withLater, withTail } from './history-window.ts'

const row = (id: number, role = 'user'): MessageRow => ({ id, role, content: `row ${id}` })
const server = (count: number): (MessageRow | null)[] => Array.from({ length: count }, (_, at) => (at % 17 === 3 ? null : row(at + 1, at % 2 ? 'assistant' : 'user')))
const read = (all: readonly (MessageRow | null)[], offset: number, limit: number) => chunksOf(offset, all.slice(offset, offset + limit))
const ids = (window: HistoryWindow): number[] => window.chunks.flatMap((chunk) => chunk.rows.map((one) => one.id))

test('however it is read, the window holds a stretch of the conversation without a gap or a repeat', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 3_000 }), fc.array(fc.constantFrom('earlier', 'later', 'tail', 'grow', 'cut'), { maxLength: 40 }), (start, steps) => {
    let all = server(start)
    let window = withTail(emptyWindow, lastChunkOf(all.length), read(all, lastChunkOf(all.length) * CHUNK_ROWS, 500))
    for (const step of steps) {
      const first = window.chunks[0]?.n ?? 0
      const last = window.chunks.at(-1)?.n ?? 0
      if (step === 'earlier') window = withEarlier(window, read(all, Math.max(0, first - 3) * CHUNK_ROWS, (first - Math.max(0, first - 3)) * CHUNK_ROWS))
      if (step === 'later') window = withLater(window, read(all, (last + 1) * CHUNK_ROWS, 300))
      if (step === 'tail' && isAtEnd(window)) window = withTail(window, last, read(all, last * CHUNK_ROWS, 500))
      if (step === 'grow') all = server(all.length + 70)
      if (step === 'cut' && isAtEnd(window)) { all = all.slice(0, Math.max(0, all.length - 30)); window = withTail(window, Math.min(last, lastChunkOf(all.length)), read(all, Math.min(last, lastChunkOf(all.length)) * CHUNK_ROWS, 500)) }
      const from = (window.chunks[0]?.n ?? 0) * CHUNK_ROWS
      expect(window.chunks.length).toBeLessThanOrEqual(WINDOW_CHUNKS_MAX)
      if (step !== 'grow') expect(ids(window)).toEqual(all.slice(from, endOf(window)).filter((one) => one !== null).map((one) => one.id))
    }
  }), { seed: 20_261_201, numRuns: 400 })
})

test('a page that does not adjoin changes nothing', () => {
  const all = server(2_000)
  const window = withTail(emptyWindow, 15, read(all, 1_500, 500))
  expect(withEarlier(window, read(all, 1_000, 300))).toBe(window)
  expect(withLater(window, read(all, 1_900, 100))).toBe(window)
  expect([isAtStart(window), isAtEnd(window)]).toEqual([false, true])
})

test('another history under the same name is noticed', () => {
  const all = server(150)
  const [known] = read(all, 100, 100)
  expect(isRewritten(known, read(all, 100, 100)[0])).toBe(false)
  expect(isRewritten(known, chunksOf(100, [row(9_001)])[0])).toBe(true)
  expect(isRewritten(known, undefined)).toBe(false)
})

test('what is shown begins with a message of a person, so that no turn is cut in two', () => {
  const rows = [row(101, 'assistant'), row(102, 'tool'), row(103), row(104, 'assistant')]
  expect(shownRows({ chunks: chunksOf(100, rows), count: 104 }).map((one) => one.id)).toEqual([103, 104])
  expect(shownRows({ chunks: chunksOf(0, rows), count: 4 }).map((one) => one.id)).toEqual([101, 102, 103, 104])
})
