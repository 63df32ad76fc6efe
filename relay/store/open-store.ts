/** Opens the relay's one SQLite file, or says in one refusal why not; what it refuses it leaves untouched. */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from '@photostructure/sqlite'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { Clock } from '#relay/clock/clock.ts'
import { type Database, storeRefusal } from './database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { makePrivateFile, makePrivateFolder } from './private-files.ts'
import { lockStore, type StoreLock } from './store-lock.ts'

export const DATABASE_FILE = 'relay.db'
/** How long a write waits for a reader of another process (a backup tool), in ms. */
const BUSY_MS = 2_000

export interface Store {
  readonly db: Database
  readonly dataDir: string
  readonly openedAtMs: number
  /** A consistent copy, made while the relay runs; the copy is 0600. */
  backup(path: string): Promise<void>
  close(): void
}

export function openStore(dataDir: string, { clock }: { clock: Clock }): Store {
  let lock: StoreLock | null = null
  let db: Database | null = null
  try {
    makePrivateFolder(dataDir)
    lock = lockStore(dataDir)
    const path = join(dataDir, DATABASE_FILE)
    if (existsSync(path)) refuseNewer(path)
    makePrivateFile(path)
    db = new DatabaseSync(path)
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL') // `live.accepted` is a promise: the journal is on the disk before it is said.
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA secure_delete = ON')
    migrate(db)
    return opened(db, lock, dataDir, clock.now())
  } catch (error) {
    db?.close()
    lock?.release()
    throw storeRefusal(error)
  }
}

function opened(db: Database, lock: StoreLock, dataDir: string, openedAtMs: number): Store {
  let open = true
  return {
    db, dataDir, openedAtMs,
    async backup(path) {
      makePrivateFile(path)
      await backup(db, path)
      chmodSync(path, 0o600)
    },
    close() {
      if (!open) return
      open = false
      db.close()
      lock.release()
    },
  }
}

/** Read-only and before anything is written: a file of a newer relay stays as it is, byte by byte. */
function refuseNewer(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (found > MIGRATIONS.length) throw new Refused('store_too_new', { found, known: MIGRATIONS.length })
  } finally {
    db.close()
  }
}
