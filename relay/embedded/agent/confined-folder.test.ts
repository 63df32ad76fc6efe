import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FILE_BYTES_MAX, FileRefused, NEW_FOLDERS_MAX, openConfinedFolder, PATH_CHARS_MAX } from './confined-folder.ts'

let home = ''
let workspace = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'relay-confined-'))
  workspace = join(home, 'workspace')
  writeFileSync(join(home, 'secret'), 'SECRET')
  mkdirSync(join(home, 'private'))
  writeFileSync(join(home, 'private', 'key'), 'SECRET')
})
afterEach(() => rmSync(home, { recursive: true }))
const put = (bytes: string) => Buffer.from(bytes)

test('the folder is made for its owner only', () => {
  openConfinedFolder(workspace)
  expect(statSync(workspace).mode & 0o777).toBe(0o700)
})

test('files are written whole, read back, and keep their mode', () => {
  const folder = openConfinedFolder(workspace)
  folder.write('a/b/run.sh', put('one'), '.tmp')
  chmodSync(join(workspace, 'a/b/run.sh'), 0o755)
  folder.write(join(folder.root, 'a/b/../b/run.sh'), put('two'), '.tmp')
  expect(folder.read('./a/b/run.sh').toString()).toBe('two')
  expect(statSync(join(workspace, 'a/b/run.sh')).mode & 0o777).toBe(0o755)
  expect(readdirSync(join(workspace, 'a/b'))).toEqual(['run.sh'])
  expect(folder.readIfAny('a/none')).toBeNull()
  expect(() => folder.read('a/none')).toThrow('no such file')
})

test('words that lead out, and things that are no files', () => {
  const folder = openConfinedFolder(workspace)
  mkdirSync(join(workspace, 'sub'))
  execFileSync('mkfifo', [join(workspace, 'pipe')])
  for (const path of ['../secret', '/etc/passwd', join(home, 'secret'), 'sub/../../secret', '../workspace-2/x', '', '.', 'sub', 'sub/', 'pipe', 'a\0b', '/dev/zero', 'x'.repeat(PATH_CHARS_MAX + 1), 'x'.repeat(300)]) {
    expect(() => folder.read(path), `read ${path.slice(0, 40)}`).toThrow(FileRefused)
    expect(() => folder.write(path, put('x'), '.tmp'), `write ${path.slice(0, 40)}`).toThrow(FileRefused)
  }
  expect(readFileSync(join(home, 'secret'), 'utf8')).toBe('SECRET')
  expect(existsSync(join(home, 'workspace-2'))).toBe(false)
})

test.each([true, false])('links: out of the workspace never, a last step never, folders inside yes (anchored: %s)', (isAnchored) => {
  const folder = openConfinedFolder(workspace, { isAnchored })
  symlinkSync(join(home, 'secret'), join(workspace, 'link'))
  symlinkSync(join(home, 'private'), join(workspace, 'out'))
  symlinkSync('..', join(workspace, 'up'))
  symlinkSync(join(home, 'new'), join(workspace, 'dangling'))
  symlinkSync('loop', join(workspace, 'loop'))
  for (const path of ['link', 'out/key', 'up/secret', 'dangling', 'dangling/x', 'loop', 'loop/x', 'out/new/deep/file']) {
    expect(() => folder.read(path), `read ${path}`).toThrow(FileRefused)
    expect(() => folder.write(path, put('x'), '.tmp'), `write ${path}`).toThrow(FileRefused)
  }
  expect([readFileSync(join(home, 'secret'), 'utf8'), readFileSync(join(home, 'private', 'key'), 'utf8'), readdirSync(join(home, 'private')), existsSync(join(home, 'new'))]).toEqual(['SECRET', 'SECRET', ['key'], false])
  expect(() => folder.write('link', put('x'), '.tmp')).toThrow('links are not followed')
  mkdirSync(join(workspace, 'real'))
  symlinkSync('real', join(workspace, 'inner'))
  folder.write('inner/file', put('fine'), '.tmp')
  expect(readFileSync(join(workspace, 'real', 'file'), 'utf8')).toBe('fine')
})

test.each([true, false])('a folder that becomes a link between the look and the use (anchored: %s)', (isAnchored) => {
  const plain = openConfinedFolder(workspace)
  plain.write('sub/key', put('mine'), '.tmp')
  let swaps = 0
  const swap = () => {
    swaps += 1
    renameSync(join(workspace, 'sub'), join(workspace, `moved-${swaps}`))
    symlinkSync(join(home, 'private'), join(workspace, 'sub'))
  }
  const restore = () => {
    rmSync(join(workspace, 'sub'))
    renameSync(join(workspace, `moved-${swaps}`), join(workspace, 'sub'))
  }
  const folder = openConfinedFolder(workspace, { checked: swap, isAnchored })
  expect(() => folder.read('sub/key')).toThrow(FileRefused)
  restore()
  expect(() => folder.write('sub/key', put('x'), '.tmp')).toThrow(FileRefused)
  restore()
  expect(swaps).toBe(2)
  expect([readFileSync(join(home, 'private', 'key'), 'utf8'), readdirSync(join(home, 'private'))]).toEqual(['SECRET', ['key']])
})

test.each([true, false])('a parent far above becomes a link between the look and the use (anchored: %s)', (isAnchored) => {
  openConfinedFolder(workspace).write('a/b/key', put('mine'), '.tmp')
  mkdirSync(join(home, 'private', 'b'))
  writeFileSync(join(home, 'private', 'b', 'key'), 'SECRET')
  const folder = openConfinedFolder(workspace, { isAnchored, checked: () => {
    renameSync(join(workspace, 'a'), join(workspace, 'moved'))
    symlinkSync(join(home, 'private'), join(workspace, 'a'))
  } })
  expect(() => folder.read('a/b/key')).toThrow('outside')
})

test('a second name of a file outside is replaced, not written through', () => {
  const folder = openConfinedFolder(workspace)
  linkSync(join(home, 'secret'), join(workspace, 'twin'))
  folder.write('twin', put('new'), '.tmp')
  expect([readFileSync(join(home, 'secret'), 'utf8'), readFileSync(join(workspace, 'twin'), 'utf8')]).toEqual(['SECRET', 'new'])
})

test('sizes and depths have bounds', () => {
  const folder = openConfinedFolder(workspace)
  folder.write('full', Buffer.alloc(FILE_BYTES_MAX, 1), '.tmp')
  expect(folder.read('full').length).toBe(FILE_BYTES_MAX)
  expect(() => folder.write('more', Buffer.alloc(FILE_BYTES_MAX + 1), '.tmp')).toThrow('At most')
  truncateSync(join(workspace, 'full'), FILE_BYTES_MAX + 1)
  expect(() => folder.read('full')).toThrow('bytes')
  const deep = (levels: number) => `${Array.from({ length: levels }, () => 'd').join('/')}/file`
  folder.write(deep(NEW_FOLDERS_MAX), put('x'), '.tmp')
  rmSync(join(workspace, 'd'), { recursive: true })
  expect(() => folder.write(deep(NEW_FOLDERS_MAX + 1), put('x'), '.tmp')).toThrow('too deep')
})
