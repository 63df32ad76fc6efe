/** Precedence, words for a wrong value, and that a secret is never in them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { defaultDataDir, environmentName, flagName, loadConfig } from './config.ts'

const home = mkdtempSync(join(tmpdir(), 'relay-config-'))
afterAll(() => rmSync(home, { recursive: true }))
const load = (flags: object = {}, environment: Record<string, string> = {}) => loadConfig({ flags: { ...flags }, environment, platform: 'linux', home })
const withFile = (value: unknown): string => {
  const folder = mkdtempSync(join(home, 'data-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), typeof value === 'string' ? value : JSON.stringify(value))
  return folder
}
const detailOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof Refused) return { code: error.code, ...error.detail }
    throw error
  }
  throw new Error('it was accepted')
}

test('the defaults', () => {
  expect(load().config).toEqual({
    port: null, host: [], lan: false, dataDir: join(home, '.local/share/hermes-relay'), hermes: 'auto', provider: null, model: null, providerKey: null, workspace: null, hostNames: [], allowedOrigins: [], dashboardUser: null, dashboardPassword: null, dashboardToken: null, noQr: false, json: false, logLevel: 'warn',
  })
})

test('flag > environment > file > default, each named as source', () => {
  const dataDir = withFile({ port: 1, logLevel: 'error', hermes: 'embedded' })
  const { config, sources } = load({ dataDir, port: '3' }, { HERMES_RELAY_PORT: '2', HERMES_RELAY_LOG_LEVEL: 'debug', HERMES_RELAY_HOST_NAMES: 'Attic.Example, b.example' })
  expect(config).toMatchObject({ port: 3, logLevel: 'debug', hermes: 'embedded', hostNames: ['attic.example', 'b.example'] })
  expect(sources).toMatchObject({ port: 'flag', logLevel: 'environment', hermes: 'file', lan: 'default' })
})

test.each([
  ['port', { port: '99999' }], ['port', { port: 'http' }], ['host', { host: ['my-host'] }], ['hermes', { hermes: 'ftp://x' }], ['hermes', { hermes: 'http://user:pass@x' }], ['hermes', { hermes: 'embeded' }], ['provider', { provider: 'ftp://x' }], ['provider', { provider: 'https://user:key@x/v1' }], ['model', { model: ' ' }], ['model', { model: 'm'.repeat(257) }],
  ['hostNames', { hostNames: ['http://x'] }], ['allowedOrigins', { allowedOrigins: ['https://x/path'] }], ['logLevel', { logLevel: 'loud' }], ['hostNames', { hostNames: Array(65).fill('a.b') }],
])('a wrong %s is named with its source and what is allowed', (key, flags) => {
  const detail = detailOf(() => load(flags))
  expect(detail).toMatchObject({ code: 'config_invalid', key, source: `flag ${flagName(key)}`, allowed: expect.any(String) })
})

test('from the environment and the file it is named as such, and a secret is never repeated', () => {
  expect(detailOf(() => load({}, { HERMES_RELAY_LAN: 'maybe' }))).toMatchObject({ key: 'lan', source: 'environment variable HERMES_RELAY_LAN' })
  expect(detailOf(() => load({ dataDir: withFile({ port: -1 }) }))).toMatchObject({ key: 'port', source: 'file config.json' })
  const secret = detailOf(() => load({}, { HERMES_RELAY_DASHBOARD_TOKEN: 'canary with spaces' }))
  expect(secret).toMatchObject({ key: 'dashboardToken' })
  expect(JSON.stringify(secret)).not.toContain('canary')
  const key = detailOf(() => load({}, { HERMES_RELAY_PROVIDER_KEY: 'canary with spaces' }))
  expect(key).toMatchObject({ key: 'providerKey' })
  expect(JSON.stringify(key)).not.toContain('canary')
})

test('a file that is broken or has an unknown key is refused', () => {
  expect(detailOf(() => load({ dataDir: withFile('{') }))).toMatchObject({ key: 'config.json' })
  expect(detailOf(() => load({ dataDir: withFile([]) }))).toMatchObject({ key: 'config.json' })
  expect(detailOf(() => load({ dataDir: withFile({ prot: 1 }) }))).toMatchObject({ key: 'prot', allowed: expect.stringContaining('port') })
})

test('the data folder of each platform', () => {
  expect(defaultDataDir({ XDG_DATA_HOME: '/x' }, 'linux', '/h')).toBe('/x/hermes-relay')
  expect(defaultDataDir({ XDG_DATA_HOME: 'relative' }, 'linux', '/h')).toBe('/h/.local/share/hermes-relay')
  expect(defaultDataDir({}, 'darwin', '/h')).toBe('/h/Library/Application Support/hermes-relay')
  expect(defaultDataDir({ LOCALAPPDATA: '/l' }, 'win32', '/h')).toBe('/l/hermes-relay')
  expect([environmentName('dataDir'), flagName('dataDir'), flagName('hostNames')]).toEqual(['HERMES_RELAY_DATA_DIR', '--data-dir', '--host-name'])
})
