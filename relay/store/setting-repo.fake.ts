/** Settings in memory, for tests that need no disk. */
import { SETTING_CHARS_MAX, type SettingRepo } from './setting-repo.ts'

export function createFakeSettingRepo(): SettingRepo {
  const values = new Map<string, string>()
  return {
    read: async (name) => values.get(name) ?? null,
    async write(name, value) {
      if (value.length > SETTING_CHARS_MAX) throw new RangeError('setting too long')
      values.set(name, value)
    },
    async forget(name) {
      values.delete(name)
    },
  }
}
