/** The fence over the real tree. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkHouse, type House } from './house/house-rules.ts'

const root = join(import.meta.dirname, '..')

function readHouse(): House {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\n')
  const wanted = files.filter((file) => /^(?:protocol|web|sw|relay|tests|scripts|public|docs|twa-android)\/.*\.(?:ts|tsx|mjs|css|md|json)$/.test(file) && !/\/fixtures\//.test(file))
  return new Map(wanted.flatMap((file) => {
    try {
      return [[file, readFileSync(join(root, file), 'utf8')] as const]
    } catch {
      return [] // Deleted in the work tree, still in the index.
    }
  }))
}

test('nothing climbs over the fence', () => {
  const house = readHouse()
  expect(house.size).toBeGreaterThan(100)
  expect(checkHouse(house).map(({ rule, file, what }) => `${rule}: ${file}: ${what}`)).toEqual([])
})
