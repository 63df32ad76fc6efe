/** What answers at the start, and wishes of a page: prepared, taken over, kept; a failed one changes nothing; a key goes to its server only. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, expect, test } from 'vitest'
import { AgentState, AgentWish, URL_CHARS_MAX } from '#protocol/agent/agent-state.ts'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { Principal } from '#relay/auth/auth.ts'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import { answerRefused } from '#relay/http/refusal-answer.ts'
import type { RequestEnv } from '#relay/http/http-server.ts'
import { createSecretBox } from '#relay/store/secret-box.ts'
import { createFakeSettingRepo } from '#relay/store/setting-repo.fake.ts'
import { AgentDesk } from './agent-desk.ts'
import { createAgentRoutes } from './agent-routes.ts'
import { type ChoiceSettings, type Decided, firstChatModel, OLLAMA_URL, OPENAI_URL, parseProviderUrl } from './choice.ts'
import { createChoiceRepo } from './choice-repo.ts'
import type { AskModels } from './provider-models.ts'

const folder = mkdtempSync(join(tmpdir(), 'relay-desk-'))
afterAll(() => rmSync(folder, { recursive: true }))
const AUTO: ChoiceSettings = { hermes: 'auto', provider: null, model: null, providerKey: null }
const HERE = 'http://127.0.0.1:5/v1'
const OTHER = 'http://127.0.0.1:6/v1'

type World = { settings?: Partial<ChoiceSettings>; environment?: NodeJS.ProcessEnv; dashboard?: string | null; models?: Record<string, string[]>; settingRepo?: ReturnType<typeof createFakeSettingRepo>; changeFails?: boolean }

function world({ settings = {}, environment = {}, dashboard = null, models = {}, settingRepo = createFakeSettingRepo(), changeFails = false }: World = {}) {
  const asked: { baseUrl: string; key: string | null }[] = []
  const changes: Decided[] = []
  const askModels: AskModels = async (baseUrl, key) => {
    asked.push({ baseUrl, key })
    const found = models[baseUrl]
    return found ? { ok: true, models: found } : { ok: false, code: 'unreachable', say: 'It is away.', next: 'Look.' }
  }
  const repo = createChoiceRepo(settingRepo, createSecretBox(join(folder, 'secret.key')))
  const desk = new AgentDesk({
    settings: { ...AUTO, ...settings }, environment: { PATH: join(folder, 'no-python'), ...environment }, repo, askModels, findDashboard: async () => dashboard, dataDir: mkdtempSync(join(folder, 'data-')), clock: systemClock, chance: systemChance,
    onProgress: () => {}, onLog: () => {}, onNotice: () => {},
    changeover: { async changeTo(decided) {
      if (changeFails) throw new Error('canary')
      changes.push(decided)
    } },
  })
  return { desk, repo, asked, changes, settingRepo }
}
async function settled(desk: AgentDesk): Promise<AgentState> {
  for (let n = 0; n < 500; n += 1) {
    const state = await desk.state()
    if (!state.switching) return AgentState.parse(state)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it never came to an end')
}
const codeOf = (work: Promise<unknown>) => work.then(() => 'taken', (error: unknown) => (error instanceof Refused ? error.code : 'mistake'))
const provider = (baseUrl: string, model: string, key?: string | null) => AgentWish.parse({ kind: 'provider', base_url: baseUrl, model, ...(key !== undefined && { key }) })

test('settings, then the app, then a dashboard, then a key, then Ollama, then the demo', async () => {
  const kept = createFakeSettingRepo()
  const all = { environment: { OPENAI_API_KEY: 'sk-env' }, dashboard: 'http://127.0.0.1:9119', models: { [OPENAI_URL]: ['text-embedding-3', 'gpt-5'], [OLLAMA_URL]: ['qwen'] } }
  await world({ settingRepo: kept }).repo.write({ choice: { kind: 'provider', baseUrl: HERE, model: 'm' }, key: 'sk-app' })
  expect(await world({ ...all, settingRepo: kept, settings: { hermes: 'http://x:1' } }).desk.first()).toEqual({ choice: { kind: 'dashboard', url: 'http://x:1' }, by: 'setting', key: null })
  expect(await world({ ...all, settingRepo: kept, settings: { hermes: 'embedded' } }).desk.first()).toMatchObject({ choice: { kind: 'demo' }, by: 'setting' })
  expect(await world({ ...all, settingRepo: kept, settings: { provider: OTHER, model: 'n', providerKey: 'sk-set' } }).desk.first()).toEqual({ choice: { kind: 'provider', baseUrl: OTHER, model: 'n' }, by: 'setting', key: 'sk-set' })
  expect(await world({ ...all, settingRepo: kept }).desk.first()).toEqual({ choice: { kind: 'provider', baseUrl: HERE, model: 'm' }, by: 'app', key: 'sk-app' })
  expect(await world(all).desk.first()).toMatchObject({ choice: { kind: 'dashboard', url: 'http://127.0.0.1:9119' }, by: 'found' })
  expect(await world({ ...all, dashboard: null }).desk.first()).toEqual({ choice: { kind: 'provider', baseUrl: OPENAI_URL, model: 'gpt-5' }, by: 'found', key: 'sk-env' })
  expect(await world({ ...all, dashboard: null, environment: {} }).desk.first()).toEqual({ choice: { kind: 'provider', baseUrl: OLLAMA_URL, model: 'qwen' }, by: 'found', key: null })
  expect(await world({ models: { [OLLAMA_URL]: [] } }).desk.first()).toMatchObject({ choice: { kind: 'demo' }, by: 'found' })
})
test('a key of the environment reaches its own server only; a model that nobody names is asked for, never guessed', async () => {
  const one = world({ settings: { provider: OTHER }, environment: { OPENAI_API_KEY: 'sk-env' }, models: { [OTHER]: ['first', 'second'] } })
  expect(await one.desk.first()).toMatchObject({ choice: { model: 'first' }, key: null })
  expect(one.asked.map(({ key }) => key)).toEqual([null])
  expect(await world({ settings: { provider: OPENAI_URL, model: 'm' }, environment: { OPENAI_API_KEY: 'sk-env' } }).desk.first()).toMatchObject({ key: 'sk-env' })
  expect(await codeOf(world({ settings: { provider: OTHER } }).desk.first())).toBe('model_unknown')
  expect([firstChatModel(['whisper-1', 'gpt']), firstChatModel(['nomic-embed-text']), firstChatModel([])]).toEqual(['gpt', 'nomic-embed-text', null])
})
test('a wish for a model is looked at, taken over, and known after a restart; its key is sealed and never said', async () => {
  const one = world({ models: { [HERE]: ['m'] } })
  await one.desk.first()
  await one.desk.wish(provider(`${HERE}/`, 'm', 'sk-canary'))
  const state = await settled(one.desk)
  expect(state).toMatchObject({ choice: { kind: 'provider', base_url: HERE, model: 'm' }, decided_by: 'app', has_key: true, failed: null })
  expect(JSON.stringify(state)).not.toContain('canary')
  expect(one.changes).toEqual([{ choice: { kind: 'provider', baseUrl: HERE, model: 'm' }, by: 'app', key: 'sk-canary' }])
  expect(await one.settingRepo.read('agent_choice')).not.toContain('canary')
  expect(await world({ settingRepo: one.settingRepo }).desk.first()).toMatchObject({ choice: { kind: 'provider', baseUrl: HERE }, key: 'sk-canary' })
  await one.desk.models(HERE, undefined)
  await codeOf(one.desk.models(OTHER, undefined))
  expect(one.asked.filter(({ key }) => key === 'sk-canary').map(({ baseUrl }) => baseUrl)).toEqual([HERE, HERE])
  await one.desk.wish({ kind: 'auto' })
  expect(await settled(one.desk)).toMatchObject({ choice: { kind: 'demo' }, decided_by: 'found', has_key: false })
  expect(await one.repo.read()).toBeNull()
  const managed = { choice: { kind: 'managed' as const, first: { baseUrl: HERE, model: 'm' } }, key: 'sk-canary' } // A managed Hermes needs it again at each start.
  await one.repo.write(managed)
  expect(await one.repo.read()).toEqual(managed)
  expect(await one.settingRepo.read('agent_choice')).not.toContain('canary')
})
test('a server that is away, an address that is none, a second wish, a setting that decides: refused, and nothing changes', async () => {
  const one = world({ models: { [HERE]: ['m'] } })
  await one.desk.first()
  expect(await codeOf(one.desk.wish(provider(OTHER, 'm')))).toBe('provider_failed')
  for (const wrong of ['ftp://x', 'http://me:pw@x/v1', 'https://x/v1?key=1', 'x', 'javascript:alert(1)']) expect(await codeOf(one.desk.wish(provider(wrong, 'm')))).toBe('provider_url_refused')
  await one.desk.wish(provider(HERE, 'm'))
  expect(await codeOf(one.desk.wish({ kind: 'demo' }))).toBe('agent_busy')
  await settled(one.desk)
  expect(await codeOf(one.desk.wish({ kind: 'managed' }))).toBe('python_missing')
  expect(await codeOf(world({ settings: { hermes: 'demo' } }).desk.wish({ kind: 'demo' }))).toBe('agent_fixed')
  expect(one.changes).toHaveLength(1)
  expect(parseProviderUrl(' https://x/v1/ ')).toBe('https://x/v1')
  expect(parseProviderUrl(`https://x/${'a'.repeat(URL_CHARS_MAX)}`)).toBeNull()
})
test('a change that fails is said in words, and what was there stays, also after a restart', async () => {
  const one = world({ models: { [HERE]: ['m'] }, changeFails: true })
  await one.desk.first()
  await one.desk.wish(provider(HERE, 'm', 'sk'))
  const state = await settled(one.desk)
  expect(state).toMatchObject({ choice: { kind: 'demo' }, failed: { say: expect.stringContaining('what was there before answers again') } })
  expect(JSON.stringify(state)).not.toContain('canary')
  expect(await one.repo.read()).toBeNull()
})
test('managed without a Python at the start: the demo answers, and the page reads what is missing', async () => {
  const one = world({ settings: { hermes: 'managed' } })
  expect(await one.desk.first()).toMatchObject({ choice: { kind: 'demo' } })
  one.desk.prepare()
  expect(await settled(one.desk)).toMatchObject({ failed: { say: expect.stringContaining('No Python was found') }, managed: { installed: false, running: false, progress: { phase: 'failed' } }, python: { ok: false } })
  await one.desk.close()
})
test('over HTTP: looking needs `manage`, changing `admin`; a refusal says why in its own words', async () => {
  const one = world({ models: { [HERE]: ['m'] } })
  await one.desk.first()
  const grants: (string | undefined)[] = []
  const app = new Hono<{ Bindings: RequestEnv }>().route('/relay', createAgentRoutes({ agent: one.desk, gate: async (_request, _address, grant) => {
    grants.push(grant)
    return {} as Principal
  } }))
  app.onError((error, context) => { if (error instanceof Refused) return answerRefused(context, error); throw error })
  const ask = async (path: string, body?: unknown) => {
    const answer = await app.request(path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }, { address: '127.0.0.1', corsOrigin: null })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  expect(AgentState.parse((await ask('/relay/agent')).body)).toMatchObject({ choice: { kind: 'demo' }, can_change: true })
  expect(await ask('/relay/agent/models', { base_url: HERE })).toEqual({ status: 200, body: { models: ['m'] } })
  expect(await ask('/relay/agent/models', { base_url: OTHER })).toEqual({ status: 502, body: { code: 'provider_failed', say: 'It is away.', next: 'Look.', retry: 'later' } })
  expect((await ask('/relay/agent', { kind: 'provider', base_url: HERE })).status).toBe(400)
  expect((await ask('/relay/agent', { kind: 'provider', base_url: HERE, model: 'm', key: 'with space' })).status).toBe(400)
  expect(await ask('/relay/agent', { kind: 'demo' })).toEqual({ status: 200, body: { ok: true } })
  expect((await ask('/relay/agent')).body).toMatchObject({ switching: true })
  await settled(one.desk)
  expect(grants).toEqual(['manage', 'admin', 'admin', 'admin', 'admin', 'admin', 'manage'])
})
