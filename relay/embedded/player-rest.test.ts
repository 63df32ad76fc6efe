import { expect, test } from 'vitest'
import { parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { parseSessionList } from '#protocol/dashboard/session-row.ts'
import { createPlayerWorld } from '#tests/world/player-world.ts'
import type { Json } from './player-core.ts'
import { MESSAGES_PAGE_MAX } from './player-rest.ts'

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), content: `row ${at}` }))

test('messages come oldest first and page by offset; order is ignored; 500 is the largest page', () => {
  const { host, get } = createPlayerWorld()
  const id = host.seedSession({ title: 'Long', rows: rows(MESSAGES_PAGE_MAX + 3) })
  const page = (query: string) => parseMessagePage(get(`/api/sessions/${id}/messages${query}`))!
  expect(page('').pagination).toEqual({ limit: null, offset: 0, returned: MESSAGES_PAGE_MAX + 3 })
  expect(page('?limit=2&offset=2&order=latest').rows.map((row) => row.content)).toEqual(['row 2', 'row 3'])
  expect(page('?limit=2&offset=2').pagination).toEqual({ limit: 2, offset: 2, returned: 2 })
  expect(page('?limit=501').pagination).toEqual({ limit: 500, offset: 0, returned: 500 })
  expect(host.request('GET', '/api/sessions/nosuch/messages')).toEqual({ status: 404, body: { detail: 'Session not found' } })
})

test('the list: order, limit, offset, archived', async () => {
  const { host, get, clock } = createPlayerWorld()
  const old = host.seedSession({ title: 'Old', rows: rows(2) })
  await clock.advance(1_000)
  const recent = host.seedSession({ title: 'New', rows: rows(2) })
  await clock.advance(1_000)
  host.foreignRows(old, [{ role: 'user', content: 'late' }])
  const ids = (query: string) => (get(`/api/sessions${query}`)['sessions'] as Json[]).map((row) => row['id'])
  expect(ids('')).toEqual([recent, old])
  expect(ids('?order=recent')).toEqual([old, recent])
  expect(ids('?limit=1&offset=1')).toEqual([old])
  expect(get('/api/sessions?limit=1')).toMatchObject({ total: 2, limit: 1, offset: 0 })
  expect(host.request('PATCH', `/api/sessions/${old}`, { archived: true, title: 'Older' }).body).toEqual({ ok: true, title: 'Older', archived: true })
  expect([ids(''), ids('?archived=only'), ids('?archived=include&order=recent')]).toEqual([[recent], [old], [old, recent]])
  expect(host.request('GET', '/api/sessions?order=bogus')).toEqual({ status: 400, body: { detail: 'order must be one of: created, recent' } })
  expect(parseSessionList(get('/api/sessions?archived=include')).map((row) => [row.title, row.archived])).toEqual([['Older', true], ['New', false]])
})

test('patch, delete, search, unknown routes', () => {
  const { host, get } = createPlayerWorld()
  const id = host.seedSession({ title: 'Beds', rows: [{ role: 'user', content: 'plant tomatoes' }] })
  for (const body of [{}, { pinned: true }, null]) expect(host.request('PATCH', `/api/sessions/${id}`, body).status).toBe(400)
  expect(get('/api/sessions/search?q=TOMATO')['results']).toMatchObject([{ session_id: id, role: 'user', snippet: 'plant >>>tomato<<<es' }])
  expect(get('/api/sessions/search?q=')['results']).toEqual([])
  expect(host.request('DELETE', `/api/sessions/${id}`).body).toEqual({ ok: true })
  expect(host.request('DELETE', `/api/sessions/${id}`).body).toEqual({ ok: true, already_absent: true })
  expect(host.request('GET', '/api/health')).toEqual({ status: 404, body: { detail: 'No such API endpoint: /api/health' } })
})

test('search finds commands of tools and what they said', () => {
  const { host, get } = createPlayerWorld()
  const tool_calls = [{ id: 't', call_id: 't', type: 'function', function: { name: 'terminal', arguments: JSON.stringify({ command: 'df -h | sort' }) } }]
  const id = host.seedSession({ title: 'Disk', rows: [{ role: 'user', content: 'is it full?' }, { role: 'assistant', content: '', tool_calls }, { role: 'tool', content: '{"output":"98% of /","error":null}', tool_call_id: 't', tool_name: 'terminal' }] })
  const find = (q: string) => get(`/api/sessions/search?q=${encodeURIComponent(q)}`)['results']
  expect(find('df -h |')).toMatchObject([{ session_id: id, role: 'assistant', snippet: 'terminal >>>df -h |<<< sort' }])
  expect(find('98%')).toMatchObject([{ session_id: id, role: 'tool', snippet: '>>>98%<<< of / terminal' }])
  expect(find('output')).toEqual([])
})

test('status, profiles, models and config have the shapes that the recordings have', () => {
  const { host, get } = createPlayerWorld()
  expect(get('/api/status')).toMatchObject({ version: '0.19.0', auth_required: false, gateway_running: true, profiles: ['default'] })
  expect(get('/api/profiles')['profiles']).toMatchObject([{ name: 'default', is_default: true }])
  expect(get('/api/model/info')).toMatchObject({ model: 'demo-script', provider: 'demo' })
  expect(get('/api/model/options')['providers']).toMatchObject([{ slug: 'demo', is_current: true }])
  expect(host.request('PUT', '/api/config', { config: { approvals: { timeout: 4, mode: 'smart' } } }).body).toEqual({ ok: true })
  expect(get('/api/config')['approvals']).toEqual({ mode: 'smart', timeout: 4 })
})
