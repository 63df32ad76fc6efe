/** A sealed secret opens with its key and under its name only; the file is the owner's. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSecretBox, SECRET_BYTES_MAX } from './secret-box.ts'

const folder = mkdtempSync(join(tmpdir(), 'relay-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('opens what it sealed, also after a restart; the same secret never looks the same', () => {
  const file = join(folder, 'a.key')
  const sealed = createSecretBox(file).seal('provider', 'sk-canary')
  expect(createSecretBox(file).open('provider', sealed)).toBe('sk-canary')
  expect(createSecretBox(file).seal('provider', 'sk-canary')).not.toBe(sealed)
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('canary')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
test('another name, another key, a changed byte, nonsense: nothing', () => {
  const box = createSecretBox(join(folder, 'b.key'))
  const sealed = box.seal('provider', 'sk-canary')
  const changed = Buffer.from(sealed, 'base64url')
  changed[changed.length - 1]! ^= 1
  expect([box.open('other', sealed), createSecretBox(join(folder, 'c.key')).open('provider', sealed), box.open('provider', changed.toString('base64url')), box.open('provider', ''), box.open('provider', 'abc')]).toEqual([null, null, null, null, null])
})
test('a broken key file is replaced; the longest secret fits, a longer one is refused', () => {
  const file = join(folder, 'd.key')
  writeFileSync(file, 'short')
  const box = createSecretBox(file)
  expect(box.open('x', box.seal('x', 'y'.repeat(SECRET_BYTES_MAX)))).toHaveLength(SECRET_BYTES_MAX)
  expect(() => box.seal('x', 'y'.repeat(SECRET_BYTES_MAX + 1))).toThrow(RangeError)
  expect(readFileSync(file)).toHaveLength(32)
})
