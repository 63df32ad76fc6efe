/** Opening: private, exclusive, safe against a newer file, an unwritable folder, a full disk and kill -9. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { systemClock } from '#relay/clock/clock.ts'
import { storeRefusal } from './database.ts'
import { migrate } from './migrate.ts'
import { DATABASE_FILE, openStore } from './open-store.ts'

let folder = ''
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'relay-store-')) })
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const refusalOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return error instanceof Refused ? error.code : `not a refusal: ${String(error)}`
  }
  return 'nothing'
}
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('the folder is 0700, every file 0600, also when the folder was there before with more', () => {
  const dataDir = join(folder, 'data')
  const store = openStore(dataDir, { clock: systemClock })
  store.db.exec("INSERT INTO setting VALUES ('a', 'b')")
  expect(modeOf(dataDir)).toBe('700')
  for (const file of ['relay.db', 'relay.db-wal', 'relay.db-shm', 'relay.lock']) expect(modeOf(join(dataDir, file))).toBe('600')
  expect(store.db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  expect(store.db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(store.db.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
  store.close()
  store.close() // Twice is harmless.
})

test('a second relay on the folder is refused, and free to start after the first has closed', () => {
  const first = openStore(folder, { clock: systemClock })
  expect(refusalOf(() => openStore(folder, { clock: systemClock }))).toBe('store_locked')
  first.db.exec("INSERT INTO setting VALUES ('still', 'works')")
  first.close()
  openStore(folder, { clock: systemClock }).close()
})

test('kill -9 of the holder frees the folder at once', async () => {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  const script = `const {DatabaseSync}=require(${JSON.stringify(sqlite)});const d=new DatabaseSync(${JSON.stringify(join(folder, 'relay.lock'))});d.exec('BEGIN EXCLUSIVE');console.log('held');setInterval(()=>{},1e3)`
  const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(refusalOf(() => openStore(folder, { clock: systemClock }))).toBe('store_locked')
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  await ended
  openStore(folder, { clock: systemClock }).close()
})

test('a file of a newer relay is refused and stays byte for byte', () => {
  const path = join(folder, DATABASE_FILE)
  const db = new DatabaseSync(path)
  db.exec('CREATE TABLE future (x); PRAGMA user_version = 999')
  db.close()
  const before = createHash('sha256').update(readFileSync(path)).digest('hex')
  expect(refusalOf(() => openStore(folder, { clock: systemClock }))).toBe('store_too_new')
  expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(before)
})

test('a folder that cannot be made or written is refused in words', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(refusalOf(() => openStore(join(folder, 'file'), { clock: systemClock }))).toBe('store_unwritable')
  expect(refusalOf(() => openStore(join(folder, 'file', 'below'), { clock: systemClock }))).toBe('store_unwritable')
})

test('a full disk is named, while migrating and while writing', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('PRAGMA max_page_count = 2')
  try {
    migrate(db)
    expect.unreachable()
  } catch (error) {
    expect(storeRefusal(error).code).toBe('store_full')
  }
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 })
  expect(storeRefusal(Object.assign(new Error('x'), { code: 'ENOSPC' })).code).toBe('store_full')
  expect(storeRefusal(new Error('anything')).code).toBe('store_failed')
})

test('a file that is no database is refused, not replaced', () => {
  writeFileSync(join(folder, DATABASE_FILE), 'this is a letter to my grandmother, and long enough to be looked at')
  expect(refusalOf(() => openStore(folder, { clock: systemClock }))).toBe('store_failed')
  expect(readFileSync(join(folder, DATABASE_FILE), 'utf8')).toMatch(/^this is a letter/)
})

test('a backup made while the relay runs is complete and private', async () => {
  const store = openStore(folder, { clock: systemClock })
  store.db.exec("INSERT INTO setting VALUES ('kept', 'yes')")
  const copy = join(folder, 'copy.db')
  await store.backup(copy)
  store.close()
  const db = new DatabaseSync(copy, { readOnly: true })
  expect(db.prepare('SELECT value FROM setting').get()).toEqual({ value: 'yes' })
  db.close()
  expect(modeOf(copy)).toBe('600')
})
