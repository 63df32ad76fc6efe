/** Default deny: what is on the list, what is not, and what is taken out of an answer. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { APPROVAL_TIMEOUT_S_MAX, INGRESS_RULES, matchIngress, reshape } from './ingress-rules.ts'

const match = (method: string, target: string) => {
  const [path = '', query = ''] = target.split('?')
  const found = matchIngress(method, path, new URLSearchParams(query))
  return found.kind === 'rule' ? `${found.rule.name} ${found.rule.grant} ${found.pathAndQuery}` : found.kind === 'query' ? `query ${found.word}` : 'denied'
}

test.each([
  ['GET', '/api/status', 'status chat /api/status'], ['GET', '/api/sessions?limit=100&archived=include', 'session list chat /api/sessions?limit=100&archived=include'],
  ['GET', '/api/sessions/search?q=a+b%26c', 'session search chat /api/sessions/search?q=a%20b%26c'], ['GET', '/api/sessions/20260101_a-b.c:d', 'session detail chat /api/sessions/20260101_a-b.c:d'],
  ['GET', '/api/sessions/s1/messages?limit=500&offset=0', 'session messages chat /api/sessions/s1/messages?limit=500&offset=0'], ['PATCH', '/api/sessions/s1', 'session change manage /api/sessions/s1'],
  ['DELETE', '/api/sessions/s1?profile=my%20bot', 'session delete manage /api/sessions/s1?profile=my%20bot'], ['GET', '/api/profiles', 'profiles chat /api/profiles'],
  ['GET', '/api/profiles/sessions', 'session list of all profiles chat /api/profiles/sessions'], ['GET', '/api/model/info', 'model info chat /api/model/info'],
  ['GET', '/api/model/options?refresh=1', 'model options chat /api/model/options?refresh=1'], ['GET', '/api/config', 'config chat /api/config'], ['PUT', '/api/config', 'config change manage /api/config'],
])('%s %s is allowed', (method, target, expected) => expect(match(method, target)).toBe(expected))

test.each([
  ['GET', '/api/ws'], ['GET', '/api/pty'], ['GET', '/api/console'], ['GET', '/api/config/raw'], ['PUT', '/api/config/raw'], ['GET', '/api/sessions/s1/export'], ['GET', '/'], ['GET', '/index.html'], ['GET', '/api/env'],
  ['DELETE', '/api/sessions/search/x'], ['DELETE', '/api/sessions/empty/x'], ['POST', '/api/sessions/prune'], ['POST', '/api/auth/ws-ticket'], ['GET', '/api/auth/me'], ['POST', '/auth/password-login'], ['GET', '/api/sessions/..'], ['GET', '/api/sessions/.'],
  ['GET', '/api/sessions/a%2Fb'], ['GET', '/api/sessions/a b'], ['GET', `/api/sessions/${'a'.repeat(129)}`], ['GET', '/api/sessions/'], ['GET', '/API/status'], ['GET', '/api/status/'], ['GET', '/api/files/download'], ['POST', '/api/config'], ['GET', '/api/model/set'],
])('%s %s is denied', (method, target) => expect(match(method, target)).toBe('denied'))

test('no word of upstream passes as a session id', () => {
  const routes = JSON.parse(readFileSync(new URL('../../tests/contract/fixtures/upstream-0.19.0/rest/route-list.json', import.meta.url), 'utf8')) as string[]
  const words = new Set(routes.flatMap((route) => /^[A-Z]+ \/api\/sessions\/([^/{]+)/.exec(route)?.[1] ?? []))
  expect([...words].sort()).toEqual(expect.arrayContaining(['bulk-delete', 'empty', 'import', 'prune', 'search', 'stats']))
  for (const word of [...words, 'owner-backfill']) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const isSearch = method === 'GET' && word === 'search' // Has a rule of its own.
      expect([method, word, match(method, `/api/sessions/${word}`)]).toEqual([method, word, isSearch ? 'session search chat /api/sessions/search' : 'denied'])
      for (const tail of ['messages', 'count', 'export']) expect([word, match(method, `/api/sessions/${word}/${tail}`)]).toEqual([word, 'denied'])
    }
    expect(match('DELETE', `/api/sessions/${word}-1`)).toBe(`session delete manage /api/sessions/${word}-1`)
  }
  // Whatever else upstream names in full is either denied or has a rule without an id.
  const withId = INGRESS_RULES.filter((rule) => rule.path.test('/api/sessions/some-id') || rule.path.test('/api/sessions/some-id/messages'))
  expect(withId).toHaveLength(4)
  for (const route of routes.filter((one) => !one.includes('{'))) for (const rule of withId) expect([route, rule.path.test(route.slice(route.indexOf(' ') + 1))]).toEqual([route, false])
})

test.each([['/api/status?token=x', 'query token'], ['/api/sessions?limit=101', 'query limit'], ['/api/sessions?limit=1&limit=2', 'query limit'], ['/api/sessions/s1/messages?limit=501', 'query limit'], ['/api/sessions?full=1', 'query full'], ['/api/sessions?__proto__=1', 'query __proto__'], ['/api/config?include_defaults=1', 'query include_defaults'], ['/api/sessions?cwd_prefix=/etc', 'query cwd_prefix']])('%s: the query is not passed on', (target, expected) => expect(match('GET', target)).toBe(expected))

test('bodies: named keys only, within their bounds', () => {
  const accepts = (name: string, body: unknown) => INGRESS_RULES.find((rule) => rule.name === name)?.body?.safeParse(body).success
  expect(accepts('config change', { config: { approvals: { timeout: APPROVAL_TIMEOUT_S_MAX, mode: 'smart' } } })).toBe(true)
  for (const config of [{ approvals: { timeout: APPROVAL_TIMEOUT_S_MAX + 1 } }, { approvals: { timeout: 0 } }, { approvals: { mode: 'yolo' } }, { approvals: {}, model: 'x' }, { approvals: { allow: [] } }, {}]) expect(accepts('config change', { config })).toBe(false)
  expect(accepts('session change', { title: 'x', archived: true })).toBe(true)
  for (const body of [{ system_prompt: 'x' }, { title: 1 }, { title: 'x'.repeat(257) }, []]) expect(accepts('session change', body)).toBe(false)
})

test('answers lose what must not leave the host', () => {
  expect(reshape('status', { version: '1', hermes_home: '/h', config_path: '/c', env_path: '/e', gateway_pid: 3, gateway_health_url: 'http://x', gateways: [] })).toEqual({ version: '1' })
  expect(reshape('session', { id: 'a', system_prompt: 'secret' })).toEqual({ id: 'a' })
  expect(reshape('sessions', { sessions: [{ id: 'a', system_prompt: 'secret' }], total: 1 })).toEqual({ sessions: [{ id: 'a' }], total: 1 })
  expect(reshape('profiles', { profiles: [{ name: 'default', path: '/h', has_env: true }] })).toEqual({ profiles: [{ name: 'default', has_env: true }] })
  const row = { slug: 'custom:x', name: 'x', models: ['m'], is_current: true }
  expect(reshape('models', { providers: [{ ...row, api_url: 'http://10.0.0.5/v1', base_url: 'http://h', billing_base_url: 'http://b' }], model: 'm', provider: 'custom:x' })).toEqual({ providers: [row], model: 'm', provider: 'custom:x' })
  expect(INGRESS_RULES.find((rule) => rule.name === 'model options')?.reshape).toBe('models')
  const tree = { approvals: { mode: 'manual', timeout: 60, allowlist: ['rm'] }, display: { theme: 'x' }, providers: { key: 'secret' } }
  for (const config of [tree, { config: tree }]) expect(reshape('config', config)).toEqual({ approvals: { mode: 'manual', timeout: 60 }, display: { theme: 'x' } })
  for (const kind of ['status', 'profiles', 'models', 'config'] as const) expect(JSON.stringify(reshape(kind, 'secret'))).not.toContain('secret')
})
