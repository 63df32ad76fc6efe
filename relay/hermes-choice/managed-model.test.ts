/** A Hermes of the relay's own that has no model: the page reads so, with what to do; a model that a person names reaches its file. The Hermes is a stand-in with the same answers. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { AgentState } from '#protocol/agent/agent-state.ts'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import { HERMES_VERSION, installPaths } from '#relay/managed/install-hermes.ts'
import { createSecretBox } from '#relay/store/secret-box.ts'
import { createFakeSettingRepo } from '#relay/store/setting-repo.fake.ts'
import { AgentDesk } from './agent-desk.ts'
import type { ChoiceSettings } from './choice.ts'
import { createChoiceRepo } from './choice-repo.ts'

const folder = mkdtempSync(join(tmpdir(), 'relay-managed-model-'))
const desks: AgentDesk[] = []
afterEach(async () => { for (const desk of desks.splice(0)) await desk.close() })
afterAll(() => rmSync(folder, { recursive: true }))
const SERVER = 'http://127.0.0.1:5/v1'
const HERMES = `#!${process.execPath}
const { existsSync, readFileSync } = require('node:fs')
const file = process.env.HERMES_HOME + '/config.yaml'
const hasModel = () => existsSync(file) && /"?model"?:/.test(readFileSync(file, 'utf8'))
const bodies = {
  '/api/status': () => ({ version: '${HERMES_VERSION}', auth_required: false }),
  '/api/model/auxiliary': () => ({ tasks: [], main: hasModel() ? { provider: 'custom:relay', model: 'm' } : { provider: '', model: '' } }),
  '/api/model/options': () => ({ providers: [{ slug: 'moa', authenticated: true, auth_type: 'virtual' }] }),
}
require('node:http').createServer((request, response) => response.end(JSON.stringify(bodies[request.url]()))).listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1')
`

function world(settings: Partial<ChoiceSettings>) {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const paths = installPaths(dataDir)
  mkdirSync(join(paths.venv, 'bin'), { recursive: true })
  writeFileSync(paths.hermes, HERMES)
  chmodSync(paths.hermes, 0o755)
  writeFileSync(join(paths.venv, '.hermes-install'), `hermes-agent[web,sms]==${HERMES_VERSION}`)
  const noticed: string[] = []
  const desk: AgentDesk = new AgentDesk({
    settings: { hermes: 'auto', provider: null, model: null, providerKey: null, ...settings }, environment: { PATH: folder }, repo: createChoiceRepo(createFakeSettingRepo(), createSecretBox(join(folder, 'secret.key'))),
    askModels: async (baseUrl) => (baseUrl === SERVER ? { ok: true, models: ['an-embedder', 'm'] } : { ok: false, code: 'unreachable', say: 'It is away.', next: 'Look.' }),
    findDashboard: async () => null, dataDir, clock: systemClock, chance: systemChance, onProgress: () => {}, onLog: () => {}, onNotice: (text) => noticed.push(text), changeover: { changeTo: async () => {} },
  })
  desks.push(desk)
  return { desk, noticed, config: join(paths.folder, 'home', 'config.yaml') }
}
async function until(desk: AgentDesk, isSo: (state: AgentState) => boolean): Promise<AgentState> {
  for (let n = 0; n < 500; n += 1) {
    const state = AgentState.parse(await desk.state())
    if (!state.switching && isSo(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it never came to that')
}

test('set without a model: the page reads what is missing, and that settings give it', async () => {
  const { desk, noticed } = world({ hermes: 'managed' })
  await desk.first()
  await desk.managedAddress()
  const { managed } = await until(desk, (state) => state.managed.running)
  expect(managed.no_model).toEqual({ say: expect.stringContaining('no model yet'), next: expect.stringContaining('--provider and --model') })
  await desk.state()
  expect(noticed).toEqual([`${managed.no_model?.say} ${managed.no_model?.next}`]) // In the terminal, once.
})
test('set with a model: it is in the file that Hermes made meanwhile, and nothing is missing', async () => {
  const { desk, config } = world({ hermes: 'managed', provider: SERVER, model: 'm' })
  mkdirSync(join(config, '..'))
  writeFileSync(config, 'approvals:\n  mode: smart\n')
  await desk.first()
  await desk.managedAddress()
  expect((await until(desk, (state) => state.managed.running)).managed.no_model).toBeNull()
  expect(readFileSync(config, 'utf8')).toMatch(/^approvals:\n {2}mode: smart\nmodel: \{.*"default":"m"\}/)
})
test('set with a server only: its first model that can chat is taken', async () => {
  const { desk, noticed, config } = world({ hermes: 'managed', provider: SERVER })
  await desk.first()
  await desk.managedAddress()
  await until(desk, (state) => state.managed.running)
  expect(readFileSync(config, 'utf8')).toContain('"default": "m"')
  expect(noticed).toEqual([])
})
test('chosen in the app: the form of the page gives a model, and Hermes started again has it', async () => {
  const { desk, config } = world({})
  await desk.first()
  await desk.wish({ kind: 'managed' })
  const state = await until(desk, ({ choice, managed }) => choice.kind === 'managed' && managed.running)
  expect(state.managed.no_model?.next).toContain('“Use a model”')
  writeFileSync(config, 'approvals:\n  mode: smart\n')
  await desk.wish({ kind: 'provider', base_url: SERVER, model: 'm', key: 'sk-canary' })
  expect((await until(desk, ({ choice }) => choice.kind === 'provider')).managed.no_model).toBeNull()
  await desk.wish({ kind: 'managed' })
  expect((await until(desk, ({ choice, managed }) => choice.kind === 'managed' && managed.running)).managed.no_model).toBeNull()
  expect(readFileSync(config, 'utf8')).toContain('"default":"m"')
  expect(readFileSync(config, 'utf8')).not.toContain('canary')
})
