/** Small values that the relay remembers between starts (its port). Never secrets, unless they are sealed (`secret-box`). */
import { type Database, storeRefusal } from './database.ts'

/** Longest value, in UTF-16 units. */
export const SETTING_CHARS_MAX = 4_096

export interface SettingRepo {
  read(name: string): Promise<string | null>
  write(name: string, value: string): Promise<void>
  forget(name: string): Promise<void>
}

export function createSettingRepo(db: Database): SettingRepo {
  const select = db.prepare('SELECT value FROM setting WHERE name = ?')
  const upsert = db.prepare('INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  const remove = db.prepare('DELETE FROM setting WHERE name = ?')
  return {
    read: async (name) => (select.get(name) as { value: string } | undefined)?.value ?? null,
    async write(name, value) {
      if (value.length > SETTING_CHARS_MAX) throw new RangeError('setting too long')
      try {
        upsert.run(name, value)
      } catch (error) {
        throw storeRefusal(error)
      }
    },
    async forget(name) {
      remove.run(name)
    },
  }
}
