/** What `npm start` decides before it runs: is Node new enough, and is anything out of date. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderHash } from './folder-hash.mjs'
import { isNewEnough } from './node-version.mjs'

test('Node 20.19 and newer pass', () => {
  expect(['18.20.0', '20.18.9', '20.19.0', '20.20.2', '22.0.0', '24.1.0'].map(isNewEnough)).toEqual([false, false, true, true, true, true])
})

test('the hash changes with what runs, not with tests, notes, names of the folder above or order', () => {
  const root = mkdtempSync(join(tmpdir(), 'relay-hash-'))
  mkdirSync(join(root, 'a', 'deep'), { recursive: true })
  writeFileSync(join(root, 'a', 'deep', 'x.ts'), '1')
  writeFileSync(join(root, 'lock'), '1')
  const hash = () => folderHash(root, ['a', 'lock', 'missing'])
  const first = hash()
  for (const name of ['x.test.ts', 'README.md', 'x.suite.ts', 'x.fake.ts', '.hidden']) writeFileSync(join(root, 'a', name), '2')
  expect(hash()).toBe(first)
  writeFileSync(join(root, 'a', 'deep', 'x.ts'), '2')
  const second = hash()
  expect(second).not.toBe(first)
  writeFileSync(join(root, 'a', 'y.ts'), '')
  expect(hash()).not.toBe(second)
  writeFileSync(join(root, 'missing'), '')
  rmSync(root, { recursive: true })
})
