import { expect, test } from 'vitest'
import { createPlayerWorld, codeOf, resultOf, warmSession, type Client, type PlayerWorld } from '#tests/world/player-world.ts'
import type { Json } from './player-core.ts'

async function asking(prompt: string): Promise<{ world: PlayerWorld; a: Client; liveId: string; storedId: string }> {
  const world = createPlayerWorld()
  const a = await world.client()
  const session = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: session.liveId, text: prompt })
  await world.clock.advance(1_000)
  return { world, a, ...session }
}
const lastTool = (a: Client): Json => a.events.findLast((event) => event.type === 'tool.complete')!.payload['result'] as Json
const requestId = (a: Client, type: string): unknown => a.events.findLast((event) => event.type === type)!.payload['request_id']
const status = async (a: Client): Promise<unknown> => (resultOf(await a.call('session.active_list'))['sessions'] as Json[])[0]!['status']

test('an approval stays `working`, is in no snapshot, never repeated, and blocks in silence after approvals.timeout', async () => {
  const { world, a, liveId } = await asking('danger 7')
  expect(await status(a)).toBe('working')
  const request = a.events.findLast((event) => event.type === 'approval.request')!
  expect(request.payload).toMatchObject({ command: 'rm -rf ./demo-danger-7', choices: ['once', 'session', 'always', 'deny'], allow_permanent: true })
  expect(request.payload).not.toHaveProperty('request_id')
  const b = await world.client()
  const snapshot = resultOf(await b.call('session.activate', { session_id: liveId }))
  expect(JSON.stringify(snapshot)).not.toContain('rm -rf')
  await world.clock.advance(58_000)
  expect(b.types(liveId)).toEqual([])
  await world.clock.advance(10_000)
  expect(b.types(liveId)).not.toContain('approval.request')
  expect(lastTool(b)).toMatchObject({ status: 'blocked', exit_code: -1 })
  expect(resultOf(await b.call('approval.respond', { session_id: liveId, choice: 'once' }))).toEqual({ resolved: 0 })
})

test('the timeout of approvals is what the config says, at once', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId } = await warmSession(world, a)
  world.host.request('PUT', '/api/config', { config: { approvals: { timeout: 4 } } })
  await a.call('prompt.submit', { session_id: liveId, text: 'danger' })
  await world.clock.advance(5_000)
  expect(lastTool(a)).toMatchObject({ status: 'blocked' })
})

test.each([['once', true], ['session', true], ['deny', false]] as const)('approval %s', async (choice, allowed) => {
  const { world, a, liveId } = await asking('danger 1')
  expect(resultOf(await a.call('approval.respond', { session_id: liveId, choice, all: false }))).toEqual({ resolved: 1 })
  expect(resultOf(await a.call('approval.respond', { session_id: liveId, choice, all: false }))).toEqual({ resolved: 0 })
  await world.clock.advance(3_000)
  expect(lastTool(a)['status']).toBe(allowed ? undefined : 'blocked')
  await a.call('prompt.submit', { session_id: liveId, text: 'danger 2' })
  await world.clock.advance(3_000)
  const asked = a.types().filter((type) => type === 'approval.request').length
  expect(asked).toBe(choice === 'session' ? 1 : 2) // The grant of the session covers the second.
})

test.each([['yolo', '1'], ['approvals.mode', 'off']])('nothing is asked with %s', async (key, value) => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId } = await warmSession(world, a)
  resultOf(await a.call('config.set', { key, value, session_id: liveId }))
  await a.call('prompt.submit', { session_id: liveId, text: 'danger' })
  await world.clock.advance(5_000)
  expect(a.types()).not.toContain('approval.request')
})

test('clarify is `waiting`, may be answered from a new socket, and 4009 when it is too late', async () => {
  const { world, a, liveId } = await asking('ask Which bed?|left|right')
  expect(await status(a)).toBe('waiting')
  const id = requestId(a, 'clarify.request')
  world.host.dropSocket(a.id)
  await world.clock.advance(1_000)
  const b = await world.client()
  expect(resultOf(await b.call('session.activate', { session_id: liveId }))['status']).toBe('waiting')
  expect(resultOf(await b.call('clarify.respond', { request_id: id, answer: 'left' }))).toEqual({ status: 'ok' })
  await world.clock.advance(3_000)
  expect(lastTool(b)).toEqual({ question: 'Which bed?', choices_offered: ['left', 'right'], user_response: 'left' })
  expect(codeOf(await b.call('clarify.respond', { request_id: id, answer: 'late' }))).toBe(4009)
})

test('clarify ends with an empty answer after 300 s, without an event', async () => {
  const { world, a } = await asking('ask-open Your name?')
  const seen = a.events.length
  await world.clock.advance(298_000)
  expect(a.events.length).toBe(seen)
  await world.clock.advance(3_000)
  expect(lastTool(a)['user_response']).toBe('')
})

test('sudo is asked once per session; late answers to sudo and secret are `expired`', async () => {
  const { world, a, liveId } = await asking('sudo')
  const id = requestId(a, 'sudo.request')
  expect(await status(a)).toBe('waiting')
  expect(resultOf(await a.call('sudo.respond', { request_id: id, password: 'pw' }))).toEqual({ status: 'ok' })
  await world.clock.advance(3_000)
  expect(resultOf(await a.call('sudo.respond', { request_id: id, password: 'pw' }))).toEqual({ status: 'expired' })
  await a.call('prompt.submit', { session_id: liveId, text: 'sudo' })
  await world.clock.advance(5_000)
  expect(a.types().filter((type) => type === 'sudo.request').length).toBe(1)
  await a.call('prompt.submit', { session_id: liveId, text: 'secret' })
  await world.clock.advance(1_000)
  const secret = a.events.findLast((event) => event.type === 'secret.request')!
  expect(secret.payload).toMatchObject({ env_var: 'DEMO_TOKEN', metadata: { skill_name: 'demo-skill' } })
  expect(resultOf(await a.call('secret.respond', { request_id: secret.payload['request_id'], value: 'v-e-r-y' }))).toEqual({ status: 'ok' })
  await world.clock.advance(3_000)
  expect(resultOf(await a.call('secret.respond', { request_id: secret.payload['request_id'], value: 'x' }))).toEqual({ status: 'expired' })
  expect(JSON.stringify(a.frames)).not.toContain('v-e-r-y') // Nothing repeats a secret.
})

test.each([['ask', 'clarify'], ['danger', 'approval']])('an interrupt releases the question of %s and leaves nothing open', async (prompt, kind) => {
  const { world, a, liveId } = await asking(prompt)
  expect(world.host.live()[0]!.ask).toBe(kind)
  await a.call('session.interrupt', { session_id: liveId })
  await world.clock.advance(1_000)
  expect(a.events.findLast((event) => event.type === 'message.complete')!.payload).toMatchObject({ text: null, status: 'interrupted' })
  expect(lastTool(a)).toMatchObject(kind === 'approval' ? { status: 'blocked' } : { user_response: '' })
  expect(world.host.live()[0]).toMatchObject({ running: false, ask: null })
  expect(world.clock.pending()).toBe(0)
})
