/** Brings a database to the newest schema, one transaction per entry: killed anywhere, the file is at the entry before or after. */
import { Refused } from '#protocol/refusal/refusal.ts'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations.ts'

export function migrate(db: Pick<Database, 'exec' | 'prepare'>, migrations: readonly string[] = MIGRATIONS): void {
  const from = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
  if (from > migrations.length) throw new Refused('store_too_new', { found: from, known: migrations.length })
  for (const [index, sql] of migrations.entries()) {
    if (index < from) continue
    db.exec('BEGIN IMMEDIATE')
    try {
      for (const statement of statementsOf(sql)) db.exec(statement)
      db.exec(`PRAGMA user_version = ${index + 1}`)
      db.exec('COMMIT')
    } catch (error) {
      rollBack(db)
      throw error
    }
  }
}

/** Our schemas hold no triggers and no semicolon inside a statement. */
export const statementsOf = (sql: string): string[] => sql.split(/;\s*(?:\n|$)/).map((statement) => statement.trim()).filter(Boolean)

function rollBack(db: Pick<Database, 'exec'>): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back (disk full, I/O error): the first error is the one that counts.
  }
}
