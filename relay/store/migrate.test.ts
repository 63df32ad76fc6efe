/** Migrations: pinned, opened from every earlier schema, and whole or absent wherever they are killed. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { systemClock } from '#relay/clock/clock.ts'
import { migrate, statementsOf } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { openStore } from './open-store.ts'

/** Hashes of entries that have landed. A change of one is a bug: append a new entry instead. */
const PINNED: readonly string[] = ['0ab54277ea4b861b', 'ae08572cb44cd4c2', '21ceb04330417d12']

test('landed entries never change', () => {
  expect(MIGRATIONS.map((sql) => createHash('sha256').update(sql).digest('hex').slice(0, 16))).toEqual(PINNED)
})

test.each(MIGRATIONS.map((_, index) => index))('a committed file of schema %i opens, is brought up to date and keeps its rows', (index) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-fixture-'))
  copyFileSync(new URL(`./fixtures/schema-${index}.db`, import.meta.url), join(folder, 'relay.db'))
  const store = openStore(folder, { clock: systemClock })
  expect(store.db.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
  expect(store.db.prepare("SELECT value FROM setting WHERE name = 'fixture'").get()).toEqual({ value: `schema ${index}` })
  store.close()
  rmSync(folder, { recursive: true })
})

test('no statement of a schema is lost by splitting', () => {
  for (const sql of MIGRATIONS) expect(statementsOf(sql)).toHaveLength((sql.match(/CREATE /g) ?? []).length)
})

const steps = MIGRATIONS.reduce((sum, sql) => sum + statementsOf(sql).length + 3, 0)

test('killed before any statement, the file recovers to a whole schema and the next start finishes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-killed-'))
  for (let kill = 0; kill < steps; kill++) {
    const before = join(folder, `${kill}-before`)
    const after = join(folder, `${kill}-after`)
    mkdirSync(before)
    mkdirSync(after)
    const db = new DatabaseSync(join(before, 'relay.db'))
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    let ran = 0
    const dying = {
      prepare: db.prepare.bind(db),
      exec(sql: string) {
        if (ran++ === kill) {
          // What a power cut leaves: the files as they are now, without rollback.
          for (const end of ['', '-wal', '-shm']) if (existsSync(join(before, `relay.db${end}`))) copyFileSync(join(before, `relay.db${end}`), join(after, `relay.db${end}`))
          throw new Error('killed')
        }
        db.exec(sql)
      },
    }
    expect(() => migrate(dying)).toThrow('killed')
    db.close()
    const survivor = new DatabaseSync(join(after, 'relay.db'))
    const version = (survivor.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
    expect(version).toBeLessThan(MIGRATIONS.length)
    expect((survivor.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'device'").get() as { n: number }).n).toBe(version > 0 ? 1 : 0)
    migrate(survivor)
    expect(survivor.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
    survivor.close()
  }
  rmSync(folder, { recursive: true })
})
