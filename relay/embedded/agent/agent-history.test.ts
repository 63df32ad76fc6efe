/** What is kept and how it is read: lists, pages, search, changes, a restart, a crash in mid-turn; and the gateway's own manners. */
import { statSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { parseSessionList } from '#protocol/dashboard/session-row.ts'
import { foldHistory } from '#protocol/turn/history-fold.ts'
import { APPROVAL_S_MAX, LIVES_MAX } from './agent-core.ts'
import { STOPPED_IN_TOOL } from './agent-repo.ts'
import { HITS_MAX, MESSAGES_PAGE_MAX, QUERY_CHARS_MAX } from './agent-rest.ts'
import { TITLE_LENGTH_MAX } from './agent-rpc.ts'
import { type AgentWorld, createAgentWorld, GatewayClient, until } from './agent-world.fake.ts'

vi.setConfig({ testTimeout: 20_000 }) // Real processes and lines on a busy machine; nothing here waits for a time.

let world: AgentWorld
beforeEach(async () => { world = await createAgentWorld({ timing: { orphanMs: 60 } }) })
afterEach(() => world.end())

async function talk(text: string, answer: string): Promise<{ live: string; stored: string }> {
  const ids = await world.create()
  const before = world.client.all('message.complete').length
  world.model.replies.push({ say: [answer] })
  await world.submit(ids.live, text)
  await world.client.event('message.complete', before)
  return ids
}
const listed = async (query: string) => ((await world.rest('GET', `/api/sessions?${query}`)).body['sessions'] as { id: string }[]).map(({ id }) => id)

test('the list: pages, order, archive, total; the shapes are the ones that the page reads', async () => {
  const ids: string[] = []
  for (const text of ['one', 'two', 'three']) {
    ids.push((await talk(text, `answer ${text}`)).stored)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const [one, two, three] = ids as [string, string, string]
  expect(await listed('order=created')).toEqual([three, two, one])
  expect(await listed('order=created&limit=1&offset=1')).toEqual([two])
  await world.rest('PATCH', `/api/sessions/${two}`, { archived: true, title: ' Second ' })
  expect([await listed(''), await listed('archived=only'), (await listed('archived=include')).length]).toEqual([[three, one], [two], 3])
  expect((await world.rest('GET', '/api/sessions?limit=1&archived=include')).body).toMatchObject({ total: 3, limit: 1, offset: 0 })
  for (const bad of ['order=x', 'archived=x']) expect((await world.rest('GET', `/api/sessions?${bad}`)).status).toBe(400)
  const all = parseSessionList((await world.rest('GET', '/api/profiles/sessions?archived=include&order=recent&min_messages=1')).body)
  expect(all.find(({ sessionId }) => sessionId === two)).toMatchObject({ title: 'Second', preview: 'two', messageCount: 2, archived: true, model: 'model-a', cwd: world.workspace })
  const live = await world.client.ok('session.resume', { session_id: two })
  expect(live['info']).toMatchObject({ title: 'Second' })
})

test('messages: pages by limit and offset, read by the page as one turn', async () => {
  const { stored } = await talk('one', 'answer')
  const page = (query: string) => world.rest('GET', `/api/sessions/${stored}/messages${query}`)
  expect((await page('')).body['pagination']).toEqual({ limit: null, offset: 0, returned: 2 })
  expect((await page('?limit=1&offset=1&order=oldest')).body).toMatchObject({ messages: [{ content: 'answer' }], pagination: { limit: 1, offset: 1, returned: 1 } })
  expect((await page(`?limit=${MESSAGES_PAGE_MAX + 1}`)).body['pagination']).toMatchObject({ limit: MESSAGES_PAGE_MAX })
  expect(foldHistory(parseMessagePage((await page('')).body)?.rows ?? [])).toMatchObject([{ kind: 'user', text: 'one' }, { kind: 'turn', blocks: [{ kind: 'text', text: 'answer' }] }])
  expect((await world.rest('GET', '/api/sessions/none/messages')).status).toBe(404)
  expect((await world.rest('GET', '/api/sessions/%E0%A4%A/messages')).status).toBe(400)
})

test('search finds words of both, whatever their case; blanks and signs are words too', async () => {
  const { stored } = await talk('Where is 100%_of the KEY?', 'In the drawer.')
  const find = async (q: string) => (await world.rest('GET', `/api/sessions/search?q=${encodeURIComponent(q)}&limit=${HITS_MAX + 1}`)).body['results']
  expect(await find('DRAWER')).toMatchObject([{ session_id: stored, role: 'assistant', snippet: 'In the >>>drawer<<<.' }])
  expect(await find('100%_of')).toMatchObject([{ role: 'user' }])
  expect([await find(' '), await find('1%f'), await find('x'.repeat(QUERY_CHARS_MAX + 1))]).toEqual([[], [], []])
})

test('search finds commands of tools and what they said, not the JSON around it; the newest row that fits is shown', async () => {
  const { live, stored } = await world.create()
  world.model.replies.push({ say: ['I look.'], calls: [{ name: 'terminal', args: { command: "printf 'grüße \\042%s\\042' $((41+1))" } }] }, { say: ['Done.'] })
  await world.submit(live, 'go')
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice: 'once', all: false })
  await world.client.event('message.complete')
  const find = async (q: string) => (await world.rest('GET', `/api/sessions/search?q=${encodeURIComponent(q)}`)).body['results']
  expect(await find("PRINTF '")).toEqual([expect.objectContaining({ session_id: stored, role: 'assistant', snippet: expect.stringMatching(/^I look\. terminal >>>printf '<<<grüße/) })])
  expect(await find('GRÜSSE')).toEqual([]) // Other letters.
  expect(await find('Grüße "42"')).toEqual([expect.objectContaining({ session_id: stored, role: 'tool', snippet: expect.stringContaining('>>>grüße "42"<<<') })])
  expect(await find('terminal')).toMatchObject([{ role: 'tool' }])
  expect([await find('tool_call_id'), await find('arguments'), await find('"')]).toEqual([[], [], [expect.objectContaining({ role: 'tool' })]])
})

test('change and delete: titles have a bound, a running conversation is stopped, deleting twice is fine', async () => {
  const { stored } = await talk('one', 'answer')
  const at = `/api/sessions/${stored}`
  expect([(await world.rest('PATCH', at, {})).status, (await world.rest('PATCH', at, { title: 'x'.repeat(TITLE_LENGTH_MAX + 1) })).status, (await world.rest('PATCH', '/api/sessions/none', { title: 'x' })).status]).toEqual([400, 400, 404])
  const { live, stored: running } = await world.create()
  world.model.replies.push({ say: ['x'], hang: true })
  await world.submit(live, 'run')
  await until('the stream', () => world.model.open === 1)
  expect((await world.client.call('session.delete', { session_id: running })).error?.code).toBe(4023)
  expect((await world.rest('DELETE', `/api/sessions/${running}`)).body).toEqual({ ok: true })
  await until('the line to close', () => world.model.open === 0)
  expect([(await world.rest('DELETE', `/api/sessions/${running}`)).body, (await world.rest('GET', `/api/sessions/${running}`)).status]).toEqual([{ ok: true, already_absent: true }, 404])
  expect((await world.client.call('prompt.submit', { session_id: live, text: 'x' })).error?.code).toBe(4001)
})

test('settings: read, changed within bounds, kept over a restart', async () => {
  expect((await world.rest('GET', '/api/config')).body).toMatchObject({ approvals: { mode: 'manual', timeout: 60 }, display: { busy_input_mode: 'interrupt' } })
  for (const timeout of [0, -1, APPROVAL_S_MAX + 1, '5', null]) expect((await world.rest('PUT', '/api/config', { config: { approvals: { timeout } } })).status).toBe(400)
  await world.rest('PUT', '/api/config', { config: { approvals: { timeout: APPROVAL_S_MAX }, display: { busy_input_mode: 'queue' } } })
  world.restart()
  expect((await world.rest('GET', '/api/config')).body).toMatchObject({ approvals: { mode: 'manual', timeout: APPROVAL_S_MAX }, display: { busy_input_mode: 'queue' } })
})

test('status, profiles, the model and what else the server offers', async () => {
  expect((await world.rest('GET', '/api/status')).body).toMatchObject({ version: 'built-in', active_agents: 0 })
  expect((await world.rest('GET', '/api/profiles')).body).toMatchObject({ profiles: [{ name: 'default', is_default: true }] })
  expect((await world.rest('GET', '/api/model/info')).body).toMatchObject({ model: 'model-a', effective_context_length: 32_768 })
  expect((await world.rest('GET', '/api/model/options')).body).toMatchObject({ model: 'model-a', providers: [{ models: ['model-a', 'model-b'], warning: '' }] })
  expect((await world.rest('GET', '/api/nothing')).status).toBe(404)
  const { live } = await talk('one', 'answer')
  expect(await world.client.ok('config.set', { key: 'model', value: 'model-b --provider openai-compatible', session_id: live })).toMatchObject({ value: 'model-b' })
  world.model.replies.push({ say: ['hi'] })
  await world.submit(live, 'two')
  await world.client.event('message.complete', 1)
  expect(world.model.asked.at(-1)?.body.model).toBe('model-b')
})

test('a restart keeps the history, and the model hears it', async () => {
  const { stored } = await talk('My name is Ada', 'Hello Ada')
  world.restart()
  const snapshot = await world.client.ok('session.resume', { session_id: stored })
  expect(snapshot).toMatchObject({ resumed: stored, running: false, messages: [{ role: 'user', text: 'My name is Ada' }, { role: 'assistant', text: 'Hello Ada' }] })
  world.model.replies.push({ say: ['Ada'] })
  await world.submit(String(snapshot['session_id']), 'What is my name?')
  await world.client.event('message.complete')
  expect(world.model.asked.at(-1)?.body.messages.slice(1).map(({ content }) => content)).toEqual(['My name is Ada', 'Hello Ada', 'What is my name?'])
  expect((await world.client.call('session.resume', { session_id: 'none' })).error?.code).toBe(4007)
  expect(statSync(world.workspace).mode & 0o777).toBe(0o700)
})

test('an orderly end in mid-turn keeps what was said', async () => {
  const { live, stored } = await world.create()
  world.model.replies.push({ say: ['Half an ans'], hang: true })
  await world.submit(live, 'go')
  await world.client.event('message.delta')
  world.restart()
  expect((await world.rows(stored)).map(({ content, finish_reason }) => [content, finish_reason])).toEqual([['go', null], ['Half an ans', 'error']])
})

test('a crash in mid-turn leaves what was kept; the call that ran gets a result that says so', async () => {
  const { live, stored } = await world.create()
  world.model.replies.push({ calls: [{ name: 'terminal', args: { command: 'echo x' } }, { name: 'terminal', args: { command: 'echo y' } }] })
  await world.submit(live, 'go')
  await world.client.event('approval.request')
  world.crash()
  world.restart()
  const rows = await world.rows(stored)
  expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
  expect(rows[2]?.['content']).toContain(STOPPED_IN_TOOL)
  world.restart()
  expect(await world.rows(stored)).toHaveLength(4)
  const { session_id: again } = await world.client.ok('session.resume', { session_id: stored })
  world.model.replies.push({ say: ['fine'] })
  await world.submit(String(again), 'on')
  await world.client.event('message.complete')
  expect(world.model.asked.at(-1)?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user'])
})

test('a long conversation: older turns are left out of the prompt, not of the history', async () => {
  const ids = await talk('x'.repeat(60_000), 'one')
  for (const text of ['y'.repeat(60_000), 'z']) {
    const before = world.client.all('message.complete').length
    world.model.replies.push({ say: ['more'] })
    await world.submit(ids.live, text)
    await world.client.event('message.complete', before)
  }
  expect(world.model.asked.at(-1)?.body.messages.slice(1).map(({ content }) => content?.slice(0, 1))).toEqual(['y', 'm', 'z'])
  expect(await world.rows(ids.stored)).toHaveLength(6)
})

test('one socket owns the events; a snapshot has the words so far; who comes back in time finds it live', async () => {
  const { live, stored } = await world.create()
  world.model.replies.push({ say: ['Half '], hang: true })
  await world.submit(live, 'go')
  await world.client.event('message.delta')
  const other = new GatewayClient(world.transport)
  await other.event('gateway.ready')
  expect(await other.ok('session.activate', { session_id: live })).toMatchObject({ running: true, status: 'working', inflight: { user: 'go', assistant: 'Half ', streaming: true }, messages: [] })
  await other.ok('session.interrupt', { session_id: live })
  await other.event('message.complete')
  expect(world.client.all('message.complete')).toEqual([])
  other.close()
  await new Promise((resolve) => setTimeout(resolve, 150)) // Longer than its grace.
  expect((await world.client.call('session.activate', { session_id: live })).error?.code).toBe(4001)
  expect(await world.client.ok('session.resume', { session_id: stored })).toMatchObject({ running: false, message_count: 2 })
})

test('frames that are none, methods that are none, conversations without end', async () => {
  expect(await world.client.call('nope.nope')).toMatchObject({ error: { code: -32601 } })
  expect((await world.client.call('client.capabilities', { server_requests: true })).error?.code).toBe(-32601)
  expect((await world.client.call('session.cwd.set', { session_id: (await world.create()).live, cwd: '/' })).error?.code).toBe(4017)
  const first = (await world.create()).live
  for (let n = 0; n < LIVES_MAX; n++) await world.create()
  expect((await world.client.call('session.activate', { session_id: first })).error?.code).toBe(4001)
  expect((await world.client.ok('session.active_list'))['sessions']).toHaveLength(LIVES_MAX)
})

test('a store that fails is told, and the turn still ends', async () => {
  const { live } = await world.create()
  world.store.db.exec('PRAGMA query_only = ON')
  const refused = await world.client.call('prompt.submit', { session_id: live, text: 'go' })
  expect(refused.error).toMatchObject({ code: 5000, message: expect.stringContaining('data') })
  world.store.db.exec('PRAGMA query_only = OFF')
  world.model.replies.push((response) => {
    world.store.db.exec('PRAGMA query_only = ON')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' }, finish_reason: 'stop' }] })}\n\n`)
  })
  await world.submit(live, 'go')
  expect((await world.client.event('message.complete')).payload).toMatchObject({ status: 'error', text: expect.stringContaining('data') })
  world.store.db.exec('PRAGMA query_only = OFF')
})
