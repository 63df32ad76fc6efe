/** One relay per data folder: an exclusive lock that the system itself frees when the process ends, `kill -9` included. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Refused } from '#protocol/refusal/refusal.ts'
import { makePrivateFile } from './private-files.ts'

const SQLITE_BUSY = 5

export interface StoreLock {
  release(): void
}

export function lockStore(dataDir: string): StoreLock {
  const path = join(dataDir, 'relay.lock')
  makePrivateFile(path)
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA busy_timeout = 0')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) throw new Refused('store_locked', { folder: dataDir }, error)
    throw error
  }
  return { release: () => db.close() }
}
