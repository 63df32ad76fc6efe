/** The SQLite connection type (the API of Node's own `node:sqlite`, decision 25) and how its errors become refusals. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { Refused, type RefusalCode } from '#protocol/refusal/refusal.ts'

export type Database = DatabaseSyncInstance

/** SQLite's primary result codes that a person can do something about. */
const CODES: Readonly<Record<number, RefusalCode>> = { 5: 'store_locked', 6: 'store_locked', 8: 'store_unwritable', 13: 'store_full', 14: 'store_unwritable', 23: 'store_unwritable' }

/** Never carries the statement or its values: they may hold what a person wrote. */
export function storeRefusal(error: unknown): Refused {
  if (error instanceof Refused) return error
  const { errcode, code } = (error ?? {}) as { errcode?: number; code?: string }
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Refused('store_full', {}, error)
  if (code !== undefined && /^E(?:ACCES|PERM|ROFS|NOTDIR|EXIST|ISDIR|NOENT|LOOP|NAMETOOLONG)$/.test(code)) return new Refused('store_unwritable', { reason: code }, error)
  const known = typeof errcode === 'number' ? CODES[errcode & 0xff] : undefined
  return new Refused(known ?? 'store_failed', {}, error)
}

/** Runs `work` in one write transaction; anything thrown rolls it back. Synchronous: nothing else can slip in between. */
export function inTransaction<Result>(db: Database, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    try {
      db.exec('ROLLBACK')
    } catch {
      // Already rolled back by SQLite itself.
    }
    throw error
  }
}
