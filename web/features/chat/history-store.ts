/** Stored rows of one conversation: a window over the chunks of this browser and the pages of Hermes, read at its ends as the eye needs them. */
import { createMemo, createSignal } from 'solid-js'
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import {
  CHUNK_ROWS, chunksOf, emptyWindow, firstOf, type HistoryWindow, isAtEnd, isAtStart, isRewritten, isWhole, lastChunkOf, lastOf, type RowChunk, shownRows, withEarlier, withLater, withTail,
} from '#web/core/history/history-window.ts'
import { nowMs } from '#web/platform/clock.ts'
import type { Services } from '#web/state/services.ts'

/** Chunks read at once when the eye comes near an end. */
const STEP_CHUNKS = 1
/** Chunks shown of a conversation that was just opened. */
const FIRST_CHUNKS = 2
/** Rows that one look at the end may bring: beyond it something counts wrong. */
const TAIL_ROWS_MAX = 2_000

export type HistoryStore = ReturnType<typeof createHistoryStore>
type Words = { say: string; next: string }

export function createHistoryStore({ dashboard, storage, sessions }: Pick<Services, 'dashboard' | 'storage' | 'sessions'>) {
  const repo = storage.transcripts
  let session = ''
  const [window, setWindow] = createSignal<HistoryWindow | null>(null)
  const [revision, setRevision] = createSignal(-1)
  const [failure, setFailure] = createSignal<Words | null>(null)
  /** Positions that the server is known to have, also when the window is elsewhere. */
  let count = 0
  const keep = (chunks: readonly RowChunk[]): void => {
    void repo.put({ session, count, usedAtMs: nowMs() }, chunks).catch(() => undefined) // A cache: losing it costs a wait.
  }

  /** Chunks `first..last`, from this browser where it has them all, else from Hermes. */
  async function range(first: number, last: number): Promise<RowChunk[] | null> {
    const kept = await repo.chunks(session, first, last).catch(() => [])
    if (kept.length === last - first + 1 && isWhole(kept) && (kept.at(-1)?.raw === CHUNK_ROWS || kept.at(-1)?.n === lastChunkOf(count))) return kept
    const got = await dashboard.messages(session, first * CHUNK_ROWS, (last - first + 1) * CHUNK_ROWS)
    if (!got.ok) { setFailure(got.failure); return kept.length > 0 && isWhole(kept) ? kept : null }
    setFailure(null)
    const chunks = chunksOf(first * CHUNK_ROWS, got.value)
    keep(chunks)
    return chunks
  }

  /** Where to begin reading the end when nothing is known: a hint from the list or the detail, one chunk before its end. */
  async function tailStart(): Promise<number> {
    const hint = sessions.sessions()?.find((one) => one.sessionId === session)?.messageCount || (await dashboard.messageCount(session)) || 0
    return Math.max(0, lastChunkOf(hint) - 1)
  }

  async function readTail(): Promise<boolean> {
    const known = window()
    const at = known && isAtEnd(known) ? known : null
    let from = at && at.chunks.length > 0 ? lastOf(at) : count > 0 ? lastChunkOf(count) : await tailStart()
    for (let tries = 0; ; tries += 1) {
      const got = await dashboard.messages(session, from * CHUNK_ROWS, TAIL_ROWS_MAX)
      if (!got.ok) { setFailure(got.failure); return false }
      setFailure(null)
      if (got.value.length === 0 && from > 0) { from = tries < 4 ? Math.max(0, from - 2 ** tries) : 0; continue } // It has become shorter, or the hint was wrong.
      const fresh = chunksOf(from * CHUNK_ROWS, got.value)
      if (isRewritten(at?.chunks.find((chunk) => chunk.n === from), fresh[0])) { await repo.drop(session).catch(() => undefined); setWindow(null); count = 0; return readTail() }
      const now = window()
      const whole = withTail(now && isAtEnd(now) ? now : emptyWindow, from, fresh)
      // However much was read to find the end, the page begins with the last of it.
      const next = now === null ? { ...whole, chunks: whole.chunks.slice(-FIRST_CHUNKS) } : whole
      count = next.count
      keep(fresh)
      if (now === null || isAtEnd(now)) setWindow(next)
      return true
    }
  }

  let reading: Promise<void> | null = null
  const once = (work: () => Promise<void>): Promise<void> => {
    if (reading) return reading
    reading = work().finally(() => { reading = null })
    return reading
  }
  let tailWanted: number | null = null
  async function refresh(at: number): Promise<void> {
    if (tailWanted !== null) { tailWanted = at; return }
    tailWanted = at
    for (;;) {
      const mine: number = tailWanted
      const ok = await readTail()
      if (ok) setRevision(mine)
      if (tailWanted === mine) break // Nothing new was asked for meanwhile.
    }
    tailWanted = null
  }

  return {
    window, revision, failure,
    rows: createMemo<readonly MessageRow[]>(() => { const now = window(); return now ? shownRows(now) : [] }),
    atEnd: createMemo(() => { const now = window(); return now === null || isAtEnd(now) }),
    atStart: createMemo(() => { const now = window(); return now !== null && isAtStart(now) }),
    /** Shows what this browser has kept, at once. */
    async open(id: string): Promise<void> {
      if (session === id) return
      session = id
      const kept = await repo.open(id).catch(() => null)
      if (!kept || session !== id || window() !== null) return
      count = kept.head.count
      setWindow({ chunks: [kept.last], count })
      if (kept.last.rows.length < CHUNK_ROWS / 2) await this.earlier()
    },
    /** Reads the end again; `at` is the revision of the history that this reading answers. */
    refresh,
    earlier: (): Promise<void> => once(async () => {
      const now = window()
      if (!now || isAtStart(now)) return
      const more = await range(Math.max(0, firstOf(now) - STEP_CHUNKS), firstOf(now) - 1)
      const then = window()
      if (more && then) setWindow(withEarlier(then, more))
    }),
    later: (): Promise<void> => once(async () => {
      const now = window()
      if (!now || isAtEnd(now)) return
      const more = await range(lastOf(now) + 1, Math.min(lastOf(now) + STEP_CHUNKS, lastChunkOf(count)))
      const then = window()
      if (more && then) setWindow(withLater(then, more))
    }),
    /** The window around one chunk; where it is already, nothing moves. */
    openAt: (n: number): Promise<void> => once(async () => {
      const now = window()
      if (now && n >= firstOf(now) && n <= lastOf(now)) return
      // The first one alone: what follows is read when the eye comes near it.
      const chunks = await range(Math.max(0, n - 1), n === 0 ? 0 : Math.min(n + 1, lastChunkOf(count)))
      if (chunks && chunks.length > 0) setWindow({ chunks, count })
    }),
    /** Back to the newest rows. */
    async toEnd(): Promise<void> {
      const now = window()
      if (!now || isAtEnd(now)) return
      const last = lastChunkOf(count)
      const chunks = await range(Math.max(0, last - 1), last)
      setWindow(chunks && chunks.length > 0 ? { chunks, count } : null)
      void refresh(revision())
    },
    /** Every chunk from the newest to the oldest, for a search: stops when `isOver` says so. */
    async eachChunk(visit: (chunk: RowChunk) => void, isOver: () => boolean): Promise<void> {
      for (let last = lastChunkOf(count); last >= 0 && !isOver(); last -= 5) {
        const chunks = await range(Math.max(0, last - 4), last)
        for (const chunk of chunks?.toReversed() ?? []) visit(chunk)
        await new Promise((resolve) => setTimeout(resolve, 0)) // A key may come in between.
      }
    },
  }
}
