/**
 * Stored rows of conversations, for reading without the network and for a quick start: chunks of 100 by position, and one head a
 * conversation (spikes-web.md 3). A cache of what Hermes has: a broken chunk reads as a missing one, losing all costs only a wait.
 */
import type { IDBPDatabase } from 'idb'
import * as z from 'zod/mini'
import { MessageRow } from '#protocol/dashboard/message-row.ts'
import { lastChunkOf, type RowChunk } from '#web/core/history/history-window.ts'

/** Chunks kept of one conversation: 50,000 positions (contract gateway.md 13). */
export const CHUNKS_MAX = 500
/** Conversations kept; those that were read longest ago fall out. */
export const TRANSCRIPTS_MAX = 60

export type Chunk = RowChunk
export type Head = { session: string; count: number; usedAtMs: number }

const ChunkRecord = z.object({ n: z.number(), raw: z.number(), rows: z.array(MessageRow) })
const HeadRecord = z.object({ session: z.string(), count: z.number(), usedAtMs: z.number() })

export type TranscriptRepo = {
  /** The head and the last chunk, in one look; `null` when nothing is kept. */
  open(session: string): Promise<{ head: Head; last: Chunk } | null>
  /** Chunks from `first` to `last`, both included; missing ones are left out. */
  chunks(session: string, first: number, last: number): Promise<Chunk[]>
  /** Stores chunks and head together; chunks at and behind `count` are removed. */
  put(head: Head, chunks: readonly Chunk[]): Promise<void>
  drop(session: string): Promise<void>
  /** Removes the conversation that was read longest ago, except `keep`; false when there is none. */
  dropOldest(keep: string | null): Promise<boolean>
}

const key = (session: string, n: number): string => `${session}\n${String(n).padStart(6, '0')}`
const readChunk = (raw: unknown): Chunk | null => { const parsed = ChunkRecord.safeParse(raw); return parsed.success ? parsed.data : null }
const readHead = (raw: unknown): Head | null => { const parsed = HeadRecord.safeParse(raw); return parsed.success ? parsed.data : null }

export function createIdbTranscripts(open: () => Promise<IDBPDatabase>): TranscriptRepo {
  const drop = async (session: string): Promise<void> => {
    const tx = (await open()).transaction(['heads', 'chunks'], 'readwrite')
    void tx.objectStore('heads').delete(session)
    void tx.objectStore('chunks').delete(IDBKeyRange.bound(key(session, 0), key(session, 999_999)))
    await tx.done
  }
  const heads = async (): Promise<Head[]> => ((await (await open()).getAll('heads')) as unknown[]).flatMap((raw) => readHead(raw) ?? []).sort((a, b) => a.usedAtMs - b.usedAtMs)
  return {
    async open(session) {
      const tx = (await open()).transaction(['heads', 'chunks'])
      const head = readHead(await tx.objectStore('heads').get(session))
      if (!head) return null
      const last = readChunk(await tx.objectStore('chunks').get(key(session, lastChunkOf(head.count))))
      return last ? { head, last } : null
    },
    async chunks(session, first, last) {
      const raws = (await (await open()).getAll('chunks', IDBKeyRange.bound(key(session, first), key(session, last)))) as unknown[]
      return raws.flatMap((raw) => readChunk(raw) ?? [])
    },
    async put(head, chunks) {
      const tx = (await open()).transaction(['heads', 'chunks'], 'readwrite')
      void tx.objectStore('heads').put(head, head.session)
      for (const chunk of chunks) if (chunk.n < CHUNKS_MAX) void tx.objectStore('chunks').put(chunk, key(head.session, chunk.n))
      void tx.objectStore('chunks').delete(IDBKeyRange.bound(key(head.session, lastChunkOf(head.count) + 1), key(head.session, 999_999)))
      await tx.done
      for (const old of (await heads()).filter((known) => known.session !== head.session).slice(0, -(TRANSCRIPTS_MAX - 1))) await drop(old.session)
    },
    drop,
    async dropOldest(keep) {
      const oldest = (await heads()).find((head) => head.session !== keep)
      if (oldest) await drop(oldest.session)
      return oldest !== undefined
    },
  }
}

/** The fake, and what a browser without storage gets. */
export function createMemoryTranscripts(): TranscriptRepo {
  const known = new Map<string, { head: Head; chunks: Map<number, Chunk> }>()
  const oldest = (keep: string | null): string | undefined => [...known.values()].filter(({ head }) => head.session !== keep).sort((a, b) => a.head.usedAtMs - b.head.usedAtMs)[0]?.head.session
  return {
    async open(session) {
      const entry = known.get(session)
      const last = entry?.chunks.get(lastChunkOf(entry.head.count))
      return entry && last ? structuredClone({ head: entry.head, last }) : null
    },
    chunks: async (session, first, last) => [...(known.get(session)?.chunks.values() ?? [])].filter((chunk) => chunk.n >= first && chunk.n <= last).sort((a, b) => a.n - b.n).map((chunk) => structuredClone(chunk)),
    async put(head, chunks) {
      const kept = known.get(head.session)?.chunks ?? new Map<number, Chunk>()
      for (const chunk of chunks) if (chunk.n < CHUNKS_MAX) kept.set(chunk.n, structuredClone(chunk))
      for (const n of kept.keys()) if (n > lastChunkOf(head.count)) kept.delete(n)
      known.set(head.session, { head: { ...head }, chunks: kept })
      while (known.size > TRANSCRIPTS_MAX) known.delete(oldest(head.session) ?? '')
    },
    drop: async (session) => { known.delete(session) },
    async dropOldest(keep) { const session = oldest(keep); return session !== undefined && known.delete(session) },
  }
}
