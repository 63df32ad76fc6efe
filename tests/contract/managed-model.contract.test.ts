/** What a real Hermes without a model says of itself, and that it takes the one that the relay adds to the file it made. Nothing is installed: the Hermes of the other tests runs. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import { installPaths } from '#relay/managed/install-hermes.ts'
import { ManagedHermes } from '#relay/managed/managed-hermes.ts'
import { hermesVenv } from './real-hermes.ts'
import { until } from './until.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'contract-managed-model-'))
const paths = installPaths(dataDir)
const config = join(paths.folder, 'home', 'config.yaml')
const running: ManagedHermes[] = []
afterEach(async () => { for (const hermes of running.splice(0)) await hermes.stop() })
afterAll(() => rmSync(dataDir, { recursive: true }))

function start(environment: NodeJS.ProcessEnv = {}) {
  mkdirSync(paths.venv, { recursive: true })
  if (!existsSync(join(paths.venv, 'bin'))) symlinkSync(join(hermesVenv(), 'bin'), join(paths.venv, 'bin'))
  const hermes = new ManagedHermes({ dataDir, clock: systemClock, chance: systemChance, environment: { PATH: process.env['PATH'], HOME: dataDir, ...environment }, onProgress: () => {}, onLog: () => {}, onNoModel: () => {} })
  running.push(hermes)
  return hermes
}
const isRunning = (hermes: ManagedHermes) => until('Hermes to answer', () => hermes.state().phase === 'running')

test('without a model it says so; with one in the file that it made itself it has one, and resolves it with the key of its environment', async () => {
  const bare = start()
  const { baseUrl, token } = await bare.start(null, null)
  await isRunning(bare)
  await until('it to know', () => bare.lacksModel())
  const headers = { 'x-hermes-session-token': token, 'content-type': 'application/json' }
  await fetch(`${baseUrl}/api/config`, { method: 'PUT', headers, body: JSON.stringify({ config: { approvals: { timeout: 77 } } }) })
  expect(readFileSync(config, 'utf8')).not.toMatch(/^model:/m)
  await bare.stop()

  const first = { baseUrl: 'http://127.0.0.1:9/v1', model: 'a "model": of #1', hasKey: true, isNamed: true }
  const given = start()
  const second = await given.start(first, 'sk-canary')
  await isRunning(given)
  expect(await given.lacksModel()).toBe(false)
  const answer = await (await fetch(`${second.baseUrl}/api/config`, { headers: { 'x-hermes-session-token': second.token } })).json()
  expect(answer).toMatchObject({ approvals: { timeout: 77 } })
  expect(await (await fetch(`${second.baseUrl}/api/model/auxiliary`, { headers: { 'x-hermes-session-token': second.token } })).json()).toMatchObject({ main: { provider: 'custom:relay', model: first.model } })
  expect(readFileSync(config, 'utf8')).not.toContain('canary')
  const { keyVariable } = await import('#relay/managed/hermes-config.ts')
  const resolved = execFileSync(join(hermesVenv(), 'bin', 'python'), ['-c', 'import json; from hermes_cli.runtime_provider import resolve_runtime_provider as r; x = r(); print("\\n" + json.dumps([x["base_url"], x["api_key"]]))'], { env: { PATH: process.env['PATH'], HOME: dataDir, HERMES_HOME: join(paths.folder, 'home'), [keyVariable(first.baseUrl)]: 'sk-canary' }, encoding: 'utf8' })
  expect(JSON.parse(resolved.trim().split('\n').at(-1) ?? '')).toEqual([first.baseUrl, 'sk-canary'])
})
