/** The ingress as a page meets it: what goes up, what comes down, and every way in which Hermes can fail. */
import { beforeEach, expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import type { UpstreamAnswer } from '#relay/lease/upstream-transport.ts'
import { answerRefused } from '#relay/http/refusal-answer.ts'
import { Hono } from 'hono'
import type { RequestEnv } from '#relay/http/http-server.ts'
import { ANSWER_BYTES_MAX, createIngressRoutes, DETAIL_CHARS_MAX, type OnDelete } from './ingress-routes.ts'
import { createFakeTransport, json } from './transport.fake.ts'

const transport = createFakeTransport()
let refuse: string | null = null
let deleted: Parameters<OnDelete>[0][] = []
let configChanges = 0
const principal = { credentialId: 'c', deviceId: 'd1', deviceName: 'Laptop', expiresAtMs: 9e15, grants: {} }
const app = new Hono<{ Bindings: RequestEnv }>()
app.onError((error, context) => answerRefused(context, error instanceof Refused ? error : new Refused('internal')))
app.route('/dashboard', createIngressRoutes({
  transport,
  gate: async (_request, _address, grant) => {
    if (refuse !== null && refuse === (grant ?? 'token')) throw new Refused(grant ? 'grant_missing' : 'auth_required')
    return principal
  },
  isHidden: (storedId) => storedId === 'gone',
  onConfigChanged: async () => { configChanges += 1 },
  onDelete: async (session) => { deleted.push(session); return session.storedId === 'later' ? { ok: true, undo_until_ms: 1 } : null },
}))
const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await app.request(`/dashboard${path}`, { method, headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) }, { address: '127.0.0.1', corsOrigin: null })
  return { status: response.status, headers: Object.fromEntries(response.headers), body: (await response.json()) as Record<string, unknown> }
}
beforeEach(() => {
  transport.asked.length = 0
  transport.answer = () => json({ ok: true })
  refuse = null
  deleted = []
  configChanges = 0
})

test('nothing of the browser goes up', async () => {
  await ask('PATCH', '/api/sessions/s1?profile=default', { title: 'New' }, { cookie: 'a=b', origin: 'http://localhost:1', 'x-forwarded-for': '1.2.3.4', authorization: 'Bearer relay-token', 'x-hermes-session-token': 'evil' })
  expect(transport.asked).toEqual([{ method: 'PATCH', path: '/api/sessions/s1?profile=default', body: '{"title":"New"}', timeoutMs: 45_000, bytesMax: ANSWER_BYTES_MAX }])
})
test('token and grant are asked for before Hermes is', async () => {
  for (const [what, method, path] of [['token', 'GET', '/api/status'], ['chat', 'GET', '/api/sessions'], ['manage', 'PUT', '/api/config'], ['manage', 'DELETE', '/api/sessions/s1']] as const) {
    refuse = what
    expect((await ask(method, path, method === 'PUT' ? { config: { approvals: {} } } : undefined)).body.code).toBe(what === 'token' ? 'auth_required' : 'grant_missing')
  }
  refuse = null
  expect((await ask('GET', '/api/env')).body.code).toBe('not_allowed')
  expect((await ask('GET', '/api/sessions?full=1')).body).toMatchObject({ code: 'body_malformed', detail: { query: 'full' } })
  expect((await ask('PUT', '/api/config', { config: { model: 'x' } })).body.code).toBe('body_malformed')
  expect((await ask('PATCH', '/api/sessions/s1')).body.code).toBe('body_malformed')
  expect([transport.asked, deleted]).toEqual([[], []])
})
test('a change of the configuration is told once Hermes took it, and only then', async () => {
  const wait = { config: { approvals: { timeout: 1_800 } } }
  expect((await ask('PUT', '/api/config', wait)).status).toBe(200)
  expect(configChanges).toBe(1)
  transport.answer = () => json({ detail: 'no' }, 500)
  expect((await ask('PUT', '/api/config', wait)).body.code).toBe('upstream_refused')
  transport.answer = () => json({ config: { approvals: { timeout: 1_800 } } })
  await ask('GET', '/api/config')
  expect(configChanges).toBe(1)
})
test('a delete may be taken by the lease, else it goes to Hermes', async () => {
  expect((await ask('DELETE', '/api/sessions/later?profile=p')).body).toEqual({ ok: true, undo_until_ms: 1 })
  expect(transport.asked).toEqual([])
  expect((await ask('DELETE', '/api/sessions/now')).body).toEqual({ ok: true })
  expect(transport.asked).toHaveLength(1)
  expect(deleted).toEqual([{ storedId: 'later', profile: 'p', deviceId: 'd1' }, { storedId: 'now', profile: null, deviceId: 'd1' }])
})
test.each<[string, UpstreamAnswer, string, object]>([
  ['nothing came back', { kind: 'unreachable', reason: 'ECONNREFUSED secret-host' }, 'upstream_unreachable', {}],
  ['it wants a sign-in', { kind: 'sign_in', reason: 'x' }, 'upstream_sign_in', {}],
  ['too much', { kind: 'too_large' }, 'upstream_too_large', { detail: { bytes_max: ANSWER_BYTES_MAX } }],
  ['HTML', { kind: 'answer', status: 200, contentType: 'text/html', body: '<html>token</html>', retryAfterS: null }, 'upstream_refused', { detail: { status: 200 } }],
  ['broken JSON', { kind: 'answer', status: 200, contentType: 'application/json', body: '{', retryAfterS: null }, 'upstream_refused', { detail: { status: 200 } }],
  ['403', json({ detail: 'no' }, 403), 'upstream_sign_in', {}],
  ['404', json({ detail: 'Session not found' }, 404), 'session_unknown', {}],
  ['missing route', json({ detail: 'No such API endpoint: /x' }, 404), 'upstream_refused', { detail: { status: 404, message: 'No such API endpoint: /x' } }],
  ['400', json({ detail: 'Title in use' }, 400), 'upstream_refused', { detail: { status: 400, message: 'Title in use' } }],
  ['a long detail', json({ detail: 'x'.repeat(900) }, 500), 'upstream_refused', { detail: { status: 500, message: 'x'.repeat(DETAIL_CHARS_MAX) } }],
])('%s is a refusal in words', async (_name, answer, code, facts) => {
  transport.answer = () => answer
  const { body } = await ask('GET', '/api/sessions/s1')
  expect(body).toMatchObject({ code, say: expect.any(String), next: expect.any(String), ...facts })
  expect(JSON.stringify(body)).not.toMatch(/secret-host|<html>/)
})
test('an empty success is {}', async () => {
  transport.answer = () => ({ kind: 'answer', status: 204, contentType: '', body: '', retryAfterS: null })
  expect(await ask('DELETE', '/api/sessions/now')).toMatchObject({ status: 200, body: {} })
})

test('lists and searches leave out what is about to be deleted', async () => {
  transport.answer = ({ path }) => (path.includes('search') ? json({ results: [{ session_id: 'gone' }, { session_id: 'kept' }] }) : json({ sessions: [{ id: 'gone' }, { id: 'kept' }], total: 2 }))
  expect((await ask('GET', '/api/sessions')).body).toEqual({ sessions: [{ id: 'kept' }], total: 2 })
  expect((await ask('GET', '/api/sessions/search?q=x')).body).toEqual({ results: [{ session_id: 'kept' }] })
})
