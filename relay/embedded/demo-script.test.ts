import { expect, test } from 'vitest'
import { createPlayerWorld, resultOf, warmSession } from '#tests/world/player-world.ts'
import { DEMO_CHARS_MAX, DEMO_COUNT_MAX, DEMO_WAIT_MS_MAX, planDemo } from './demo-script.ts'
import type { Json } from './player-core.ts'

async function play(prompt: string, advanceMs = 20_000) {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const from = a.events.length
  await a.call('prompt.submit', { session_id: liveId, text: prompt })
  await world.clock.advance(advanceMs)
  const events = a.events.slice(from)
  return { events, rows: world.host.rows(storedId).slice(2), complete: events.find((event) => event.type === 'message.complete')?.payload, types: events.map((event) => event.type), world, a, liveId }
}

test('other words get an honest, streamed answer: a thought, a tool step with labelled output, markdown', async () => {
  const { complete, types, events, rows } = await play('Can you water my garden?')
  expect(String(complete!['text'])).toContain('I am a demo and cannot think')
  expect(String(complete!['text'])).toContain('Can you water my garden?')
  expect(types.filter((type) => type === 'reasoning.delta').length).toBeGreaterThan(5)
  expect(types).toContain('message.interim')
  const output = String((events.find((event) => event.type === 'tool.complete')!.payload['result'] as Json)['output'])
  expect(output).toMatch(/^\(demo output/)
  expect(rows.map((row) => row.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test.each([
  ['say: hello there', 'hello there'], ['count 5 10', '1 2 3 4 5'], ['tool: terminal ls', /^tool result: .*nothing was executed/], ['para: a | b | c', 'tool results: 3'],
  ['chain: a | b', 'chain finished after 2 calls'], ['long 500', /^Line 000000/], ['slow 2000', /slow demo answer/i], ['help', /built-in demo/], ['todo', /^list: /], ['diff', /^file: /],
  ['ignored words\nsay: the last line wins', 'the last line wins'], ['SAY: loud', 'loud'],
])('directive %j', async (prompt, want) => {
  const { complete } = await play(prompt)
  expect(complete?.['status']).toBe('complete')
  if (typeof want === 'string') expect(complete!['text']).toBe(want)
  else expect(complete!['text']).toMatch(want)
})

test('think: the thought comes first and in the last event', async () => {
  const { complete, types, rows } = await play('think: which bed first?')
  expect(types.indexOf('reasoning.delta')).toBeLessThan(types.indexOf('message.delta'))
  expect(complete!['reasoning']).toBe('which bed first?')
  expect(rows.at(-1)?.reasoning).toBe('which bed first?')
})

test.each([[400, 'HTTP 400: demo error 400'], [500, 'API call failed after 1 retries: HTTP 500: demo error 500']])('error %i', async (code, text) => {
  const { complete, types, rows, world } = await play(`error ${code}`)
  expect(complete).toMatchObject({ status: 'error', text })
  expect(types).toContain('status.update')
  expect(rows.map((row) => row.role)).toEqual(['user']) // The error has no row.
  expect(world.host.live()[0]!.running).toBe(false)
})

test('hang waits until somebody stops it', async () => {
  const { complete, world, a, liveId } = await play('hang', 3_600_000)
  expect(complete).toBeUndefined()
  await a.call('session.interrupt', { session_id: liveId })
  await world.clock.advance(100)
  expect(a.events.findLast((event) => event.type === 'message.complete')?.payload).toMatchObject({ text: null, status: 'interrupted' })
})

test('a list and a changed file bring what their views need', async () => {
  const done = async (prompt: string) => (await play(prompt)).events.find((event) => event.type === 'tool.complete')!.payload
  expect((await done('todo'))['todos']).toHaveLength(3)
  expect(String((await done('diff'))['inline_diff'])).toContain('+hello, garden')
})

test('deltas that fall into the same 33 ms are one', async () => {
  const { events } = await play('say: one two three four five six')
  const deltas = events.filter((event) => event.type === 'message.delta')
  expect(deltas.length).toBe(2)
  expect(deltas[1]!.atMs - deltas[0]!.atMs).toBeGreaterThanOrEqual(33)
})

test('what a directive may ask for is bounded', () => {
  const plan = (prompt: string) => planDemo(prompt, 0, []) as Extract<ReturnType<typeof planDemo>, { kind: 'round' }>
  expect(plan('count 999999').chunks.length).toBe(DEMO_COUNT_MAX)
  expect(plan('long 999999999').chunks.join('').length).toBe(DEMO_CHARS_MAX)
  expect(plan('slow 999999999').waitMs).toBe(DEMO_WAIT_MS_MAX)
  expect(plan('tool: terminal sleep 99999999').calls[0]!.durationMs).toBe(DEMO_WAIT_MS_MAX)
})

test('the demo begins with a welcome, only when it is one', () => {
  expect((createPlayerWorld({ demo: true }).get('/api/sessions')['sessions'] as Json[]).map((row) => row['title'])).toEqual(['Welcome to the demo'])
  expect(createPlayerWorld().get('/api/sessions')['sessions']).toEqual([])
})

test('settings of a session: model, reasoning, title, folder; what is busy or unknown is refused', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const set = (key: string, value: unknown) => a.call('config.set', { key, value, session_id: liveId })
  const code = (reply: Json) => (reply['error'] as Json | undefined)?.['code']
  expect(resultOf(await set('model', 'demo-script-mini --provider demo'))).toMatchObject({ key: 'model', value: 'demo-script-mini', scope: 'session' })
  expect(a.events.at(-1)).toMatchObject({ type: 'session.info', payload: { model: 'demo-script-mini', provider: 'demo' } })
  expect(resultOf(await set('reasoning', 'high'))).toEqual({ key: 'reasoning', value: 'high' })
  expect([code(await set('reasoning', 'banana')), code(await set('nosuch', 'x')), code(await set('fast', 'fast'))]).toEqual([4002, 4002, 4002])
  expect(resultOf(await a.call('session.title', { session_id: liveId, title: 'New name' }))).toEqual({ pending: false, title: 'New name' })
  expect(resultOf(await a.call('session.title', { session_id: liveId }))).toEqual({ title: 'New name', session_key: storedId })
  expect(code(await a.call('session.title', { session_id: liveId, title: ' ' }))).toBe(4021)
  expect(resultOf(await a.call('session.cwd.set', { session_id: liveId, cwd: '/somewhere' }))['cwd']).toBe('/somewhere')
  expect(code(await a.call('session.delete', { session_id: storedId }))).toBe(4023)
  await a.call('prompt.submit', { session_id: liveId, text: 'hang' })
  expect([code(await set('model', 'x')), code(await a.call('session.cwd.set', { session_id: liveId, cwd: '/x' }))]).toEqual([4009, 4009])
  expect(resultOf(await a.call('session.close', { session_id: liveId }))).toEqual({ closed: true })
  expect(code(await a.call('session.close', { session_id: liveId }))).toBe(4001)
  expect((resultOf(await a.call('session.list', { limit: 3 }))['sessions'] as Json[]).map((row) => row['id'])).toEqual([storedId])
  expect(resultOf(await a.call('session.delete', { session_id: storedId }))).toEqual({ deleted: storedId })
  expect(code(await a.call('session.delete', { session_id: storedId }))).toBe(4007)
})

test('the journal tells who called what, when, and which prompts came', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('session.interrupt', { session_id: liveId })
  expect(world.host.calls.map((call) => [call.method, call.socketId, call.ok])).toEqual([['session.create', a.id, true], ['prompt.submit', a.id, true], ['session.interrupt', a.id, true]])
  expect(world.host.calls.at(-1)).toMatchObject({ storedId, liveId, atMs: world.clock.now() - 1 })
  expect(world.host.submits).toMatchObject([{ storedId, text: 'say: warm', socketId: a.id, status: 'streaming', foreign: false }])
})
