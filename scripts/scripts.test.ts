/** What `npm start` decides before it runs: is Node new enough, is anything out of date, does another build. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderHash } from './folder-hash.mjs'
import { isNewEnough } from './node-version.mjs'
import { oneAtATime } from './one-at-a-time.mjs'

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

test('a build waits for the one that another process makes of the same tree', async () => {
  const root = mkdtempSync(join(tmpdir(), 'relay-build-'))
  for (const name of ['build', 'build-worker', 'folder-hash', 'node-version', 'one-at-a-time']) cpSync(new URL(`./${name}.mjs`, import.meta.url), join(root, 'scripts', `${name}.mjs`))
  let said = ''
  let isFree = false
  const ended = await oneAtATime({ lock: join(root, '.cache', 'building.lock'), what: 'building' }, async () => {
    const child = spawn(process.execPath, [join(root, 'scripts', 'build.mjs'), '--only=nothing'], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk) => { said += chunk })
    const code = new Promise<[number | null, boolean]>((resolve) => child.on('close', (exitCode) => resolve([exitCode, isFree])))
    await expect.poll(() => said, { timeout: 10_000 }).toContain(`Process ${process.pid} is building; waiting for it`)
    isFree = true
    return { code }
  })
  expect(await ended.code).toEqual([0, true])
  expect(said).toContain('Everything is up to date.')
  rmSync(root, { recursive: true })
})
