/** What every SettingRepo promises. */
import { expect, test } from 'vitest'
import { SETTING_CHARS_MAX, type SettingRepo } from './setting-repo.ts'

export function settingRepoSuite(name: string, create: () => SettingRepo): void {
  test(`${name}: remembers, replaces and forgets`, async () => {
    const repo = create()
    expect(await repo.read('port')).toBeNull()
    await repo.write('port', '8767')
    await repo.write('port', '8768')
    expect(await repo.read('port')).toBe('8768')
    await repo.forget('port')
    expect(await repo.read('port')).toBeNull()
  })
  test(`${name}: refuses a value longer than SETTING_CHARS_MAX`, async () => {
    const repo = create()
    await repo.write('x', 'y'.repeat(SETTING_CHARS_MAX))
    await expect(repo.write('x', 'y'.repeat(SETTING_CHARS_MAX + 1))).rejects.toThrow(RangeError)
  })
}
