/** The first configuration, and a model that comes later: added to a file that names none, and to no other. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type FirstModel, hermesHome, keyVariable, withModel, writeFirstConfig } from './hermes-config.ts'

const root = mkdtempSync(join(tmpdir(), 'relay-config-'))
afterAll(() => rmSync(root, { recursive: true }))
const FIRST: FirstModel = { baseUrl: 'http://x/v1', model: 'm', hasKey: true, isNamed: true }
const SECTIONS = `model: {"provider":"custom:relay","base_url":"http://x/v1","default":"m"}\ncustom_providers: [{"name":"relay","base_url":"http://x/v1","key_env":"${keyVariable('http://x/v1')}","model":"m","discover_models":true}]\n`

test('the first configuration names the model and the variable of the key, is private, and is never written again', () => {
  const home = hermesHome(mkdtempSync(join(root, 'home-')))
  expect(writeFirstConfig(home, null)).toBe(false)
  expect(writeFirstConfig(home, FIRST)).toBe(true)
  const path = join(home, 'config.yaml')
  const written = readFileSync(path, 'utf8')
  expect(JSON.parse(written)).toMatchObject({ model: { provider: 'custom:relay', base_url: 'http://x/v1', default: 'm' }, custom_providers: [{ name: 'relay', key_env: keyVariable('http://x/elsewhere') }], approvals: { mode: 'manual' } })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(keyVariable('http://x/v1')).not.toBe(keyVariable('http://x:1/v1'))
  expect(writeFirstConfig(home, { ...FIRST, model: 'n', hasKey: false })).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(written)
})
test('a file without a model gets the one that a person named, not one that was only found', () => {
  const home = hermesHome(mkdtempSync(join(root, 'home-')))
  writeFirstConfig(home, null)
  const path = join(home, 'config.yaml')
  const setting = 'approvals:\n  mode: smart\n' // As Hermes writes it when the page changes a setting.
  writeFileSync(path, setting)
  expect(writeFirstConfig(home, { ...FIRST, isNamed: false })).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(setting)
  expect(writeFirstConfig(home, FIRST)).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(setting + SECTIONS)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
test.each([
  ['nothing', '', SECTIONS],
  ['notes only', '# mine\n', `# mine\n${SECTIONS}`],
  ['sections, lists and notes', 'agent:\n  effort: low\ntools:\n- a\n- b: 1\n# end\n', `agent:\n  effort: low\ntools:\n- a\n- b: 1\n# end\n${SECTIONS}`],
  ['an empty model', "model: ''\nagent: {}\n", `agent: {}\n${SECTIONS}`],
  ['lines of Windows', 'model:\r\nagent:\r\n  effort: low', `agent:\n  effort: low\n${SECTIONS}`],
  ['providers of the new kind beside it', 'providers:\n  a:\n    name: b\n', `providers:\n  a:\n    name: b\n${SECTIONS}`],
])('a model is added to %s', (_what, before, after) => expect(withModel(before, FIRST)).toBe(after))
test.each([
  ['a model by name', 'model: mine\n'], ['a model in parts', 'model:\n  default: mine\n'], ['a model in parts after a note', 'model:\n# mine\n  default: mine\n'], ['its own providers', 'custom_providers:\n- name: a\n'],
  ['JSON', '{"agent": {}}\n'], ['several documents', '---\nagent: {}\n---\nb: 1\n'], ['an end', 'agent: {}\n...\n'], ['a merge', 'a: &x {}\n<<: *x\n'], ['a quoted name', '"model": mine\n'], ['no YAML of ours at all', 'words\n'],
])('a file with %s stays as it is', (_what, before) => expect(withModel(before, FIRST)).toBeNull())
