/** Pages of a moving list: nothing twice, nothing lost, nothing kept that is gone. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST_PAGE_MAX, LIST_ROWS_MAX, nextPage } from '#protocol/dashboard/list-window.ts'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { mergeFirst, mergeNext, patchRow, type SessionPages } from './session-pages.ts'

const session = (sessionId: string, activeAtMs: number): Session => ({ sessionId, title: sessionId, preview: '', source: '', model: '', startedAtMs: 0, activeAtMs, messageCount: 1, archived: false, cwd: null })
const many = (count: number, from = 0): Session[] => Array.from({ length: count }, (_, index) => session(`s${from + index}`, 100_000 - from - index))
const ids = (pages: SessionPages): string[] => pages.rows.map((row) => row.sessionId)

test('a short first page is the whole list', () => expect(mergeFirst({ rows: many(5), ended: false }, { rows: many(2), limit: 100 })).toEqual({ rows: many(2), ended: true }))

test('the first page again: one moved up, one is gone, older ones stay', () => {
  const old: SessionPages = { rows: many(8), ended: true }
  const page = [session('s6', 200_000), ...many(3).filter((row) => row.sessionId !== 's1')]
  expect(ids(mergeFirst(old, { rows: page, limit: 3 }))).toEqual(['s6', 's0', 's2', 's3', 's4', 's5', 's7'])
})

test('a first page that joins nothing starts the list anew', () => {
  const fresh = Array.from({ length: 3 }, (_, index) => session(`n${index}`, 300_000 - index))
  expect(mergeFirst({ rows: many(8), ended: true }, { rows: fresh, limit: 3 })).toEqual({ rows: fresh, ended: false })
})

test('a page with nothing new ends the list, and so does the most rows', () => {
  expect(mergeNext({ rows: many(100), ended: false }, { rows: many(100), limit: 100 }).ended).toBe(true)
  expect(mergeNext({ rows: many(LIST_ROWS_MAX - 10), ended: false }, { rows: many(100, LIST_ROWS_MAX - 20), limit: 100 })).toMatchObject({ ended: true })
})

test('one row changes, the others do not', () => expect(patchRow({ rows: many(2), ended: true }, 's1', { title: 'new' }).rows.map((row) => row.title)).toEqual(['s0', 'new']))

test('read page after page while conversations become active, the list holds every one exactly once', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 450 }), fc.array(fc.nat(449), { maxLength: 8 }), (count, busy) => {
    let server = many(count)
    let pages: SessionPages | null = null
    const read = (): void => {
      const [limit, offset] = pages ? (nextPage(pages.rows.length) ?? [0, 0]) : [LIST_PAGE_MAX, 0]
      const rows = server.slice(offset, offset + limit)
      pages = pages ? mergeNext(pages, { rows, limit }) : mergeFirst(null, { rows, limit })
    }
    read()
    busy.forEach((index, turn) => {
      const one = server[index % count] as Session
      server = [{ ...one, activeAtMs: 200_000 + turn }, ...server.filter((row) => row !== one)]
      if (!(pages as SessionPages | null)?.ended) read()
    })
    for (let turn = 0; turn < 20 && !(pages as SessionPages | null)?.ended; turn += 1) read()
    const settled = mergeFirst(pages, { rows: server.slice(0, LIST_PAGE_MAX), limit: LIST_PAGE_MAX })
    expect([...ids(settled)].sort()).toEqual(server.map((row) => row.sessionId).sort())
  }), { seed: 20_261_201, numRuns: 200 })
})
