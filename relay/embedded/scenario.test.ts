import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseGatewayFrames } from '#protocol/gateway/gateway-frame.ts'
import { fromGatewayEvent } from '#protocol/turn/from-gateway.ts'
import { newTurn, stepTurn, type Turn } from '#protocol/turn/turn-fold.ts'
import { type Client, codeOf, createPlayerWorld, type PlayerWorld, resultOf } from '#tests/world/player-world.ts'
import type { Json } from './player-core.ts'
import { parseRecording, scenariosOf } from './recording.ts'
import { parseScenario, SLEEP_MS_MAX } from './scenario.ts'
import { readScenarios } from './scenarios.ts'

const scenarios = readScenarios()

async function begin(name: string, prompt = 'Q'): Promise<{ world: PlayerWorld; a: Client; liveId: string; storedId: string }> {
  const world = createPlayerWorld({ scenarios: [scenarios.get(name)!] })
  const a = await world.client()
  const made = resultOf(await a.call('session.create', { title: name }))
  const liveId = String(made['session_id'])
  a.post('prompt.submit', { session_id: liveId, text: prompt })
  await world.clock.advance(1_000)
  return { world, a, liveId, storedId: String(made['stored_session_id']) }
}

/** Turns of one session, as a strict client sees them: only events that carry its live id. */
function turnsOf(a: Client, liveId: string): Turn[] {
  const turns: Turn[] = []
  for (const frame of a.frames.flatMap((raw) => parseGatewayFrames(JSON.stringify(raw)))) {
    if (frame.kind !== 'event' || frame.liveId !== liveId) continue
    const fact = fromGatewayEvent(frame.type, frame.payload)
    if (fact.kind !== 'turn') continue
    const open = turns.at(-1)
    if (frame.type === 'message.start' && open?.phase !== 'running' && open?.phase !== 'waiting') turns.push(newTurn({ turnId: `t${turns.length}`, origin: 'agent', clientMsgId: null, prompt: null, startedAtMs: 0 }))
    if (turns.length > 0) turns[turns.length - 1] = stepTurn(turns.at(-1)!, fact.event)
  }
  return turns
}
const texts = (turn: Turn | undefined): string[] => turn?.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])) ?? []
const contents = (world: PlayerWorld, storedId: string) => world.host.rows(storedId).map((row) => row.content)

test('all fifteen are there and can be read', () => { expect([...scenarios.keys()].sort()).toEqual(Array.from({ length: 15 }, (_, at) => `s${at + 1}`).sort()) })

test('a scenario that cannot be read says where', () => {
  expect(() => parseScenario({ name: 'x', turns: [{ steps: [{ op: 'sleep', milliseconds: SLEEP_MS_MAX + 1 }] }] })).toThrow('turns.0.steps.0.milliseconds')
  expect(() => parseScenario({ name: 'no spaces please', turns: [] })).toThrow('name')
  expect(() => parseScenario({ name: 'x', turns: [{ steps: [{ op: 'burn' }] }] })).toThrow('turns.0.steps.0.op')
})

test.each([['s1', ['Two beds are ready.']], ['s2', ['Part one continues. End.']], ['s3', ['A1']], ['s4', ['mine']]])('%s', async (name, want) => {
  const { world, a, liveId, storedId } = await begin(name)
  await world.clock.advance(1_000)
  const [turn] = turnsOf(a, liveId)
  expect([texts(turn), turn?.outcome?.status]).toEqual([want, 'complete'])
  expect(contents(world, storedId)).toEqual(['Q', ...want])
  expect(world.host.live()[0]!.running).toBe(false)
})

test('s5: the line is cut, activate says idle', async () => {
  const { world, a, liveId, storedId } = await begin('s5')
  await world.clock.advance(3_000)
  expect(a.closed).toEqual([1011])
  const b = await world.client()
  expect(resultOf(await b.call('session.activate', { session_id: liveId }))).toMatchObject({ running: false, status: 'idle', session_key: storedId })
  expect(contents(world, storedId)).toEqual(['Q', 'Saved while offline.'])
})

test('s6: session.info is the only sign of the end', async () => {
  const { a } = await begin('s6')
  expect(a.types().filter((type) => type.startsWith('message.'))).toEqual(['message.start', 'message.delta'])
  expect(a.events.at(-1)).toMatchObject({ type: 'session.info', payload: { running: false } })
})

test('s7: the end comes after the answer', async () => {
  const { world, a, liveId } = await begin('s7')
  expect(a.types().at(-1)).toBe('approval.request')
  expect(resultOf(await a.call('approval.respond', { session_id: liveId, choice: 'once' }))).toEqual({ resolved: 1 })
  await world.clock.advance(1_000)
  expect(texts(turnsOf(a, liveId)[0])).toEqual(['Cleared.'])
})

test('s8: a server request waits for its answer; the second is taken back', async () => {
  const { world, a, liveId } = await begin('s8')
  const request = a.frames.find((frame) => frame['id'] === 'srq-0123456789ab')!
  expect(request).toMatchObject({ method: 'approval', params: { session_id: liveId, command: 'ls ./beds' } })
  expect(a.types()).not.toContain('message.delta')
  a.send(JSON.stringify({ jsonrpc: '2.0', id: 'srq-0123456789ab', result: { choice: 'once' } }))
  await world.clock.advance(1_000)
  expect(a.types()).toContain('request.cancel')
  expect(texts(turnsOf(a, liveId)[0])).toEqual(['First allowed. Second resolved elsewhere.'])
})

test('s9: the answer is there long before the reply', async () => {
  const { world, a, liveId } = await begin('s9')
  expect(texts(turnsOf(a, liveId)[0])).toEqual(['Answered before the reply.'])
  expect(a.frames.some((frame) => frame['id'] === 2)).toBe(false)
  await world.clock.advance(20_000)
  expect(a.frames.find((frame) => frame['id'] === 2)).toMatchObject({ result: { status: 'streaming' } })
})

test('s10: refused, nothing stored; the next prompt goes through', async () => {
  const { world, a, liveId, storedId } = await begin('s10')
  expect(codeOf(a.frames.find((frame) => frame['id'] === 2)!)).toBe(4090)
  expect(world.host.rows(storedId)).toEqual([])
  await a.call('prompt.submit', { session_id: liveId, text: 'again' })
  await world.clock.advance(2_000)
  expect(contents(world, storedId)).toEqual(['again', 'Now there is room.'])
})

test('s11: the resume names another profile', async () => {
  const world = createPlayerWorld({ scenarios: [scenarios.get('s11')!] })
  const a = await world.client()
  const resumed = resultOf(await a.call('session.resume', { session_id: '20260902_101500_0f0f0f', profile: 'home' }))
  expect((resumed['info'] as Json)['profile_name']).toBe('somebody-else')
})

test('s12: reclaimed in mid-turn, with both ids in the payload', async () => {
  const { a, liveId, storedId } = await begin('s12')
  expect(a.events.at(-1)).toMatchObject({ type: 'session.reclaimed', liveId: null, payload: { session_id: liveId, stored_session_id: storedId } })
})

test('s13: a stop ends the turn as interrupted, and the next one is its own', async () => {
  const { world, a, liveId } = await begin('s13')
  await a.call('session.interrupt', { session_id: liveId })
  await world.clock.advance(100)
  await a.call('prompt.submit', { session_id: liveId, text: 'next' })
  await world.clock.advance(2_000)
  expect(turnsOf(a, liveId).map((turn) => [turn.outcome?.status, texts(turn)])).toEqual([['interrupted', ['Counting sheep']], ['complete', ['A new turn.']]])
})

test('s14: a second turn comes by itself', async () => {
  const { world, a, liveId, storedId } = await begin('s14')
  await world.clock.advance(3_000)
  expect(turnsOf(a, liveId).map(texts)).toEqual([['Started the watering.'], ['The beds are watered.']])
  expect(world.host.userRows(storedId).length).toBe(2)
})

test('s15: inflight and queued are in the snapshot, then both turns end', async () => {
  const world = createPlayerWorld({ scenarios: [scenarios.get('s15')!] })
  const a = await world.client()
  const snapshot = resultOf(await a.call('session.resume', { session_id: '20260902_101500_1a1a1a' }))
  expect(snapshot).toMatchObject({ running: true, inflight: { user: 'Water schedule?', assistant: 'Twice a week, ' }, queued: { user: 'Also list tools' } })
  await world.clock.advance(10_000)
  expect(contents(world, '20260902_101500_1a1a1a').slice(2)).toEqual(['Water schedule?', 'Twice a week, mornings.', 'Also list tools', 'Spade, rake.'])
})

const RECORDINGS = new URL('../../tests/contract/fixtures/upstream-0.19.0/', import.meta.url)
const recorded = readdirSync(RECORDINGS).filter((name) => name.endsWith('.gateway.jsonl')).flatMap((name) => scenariosOf(name.replace('.gateway.jsonl', ''), parseRecording(readFileSync(new URL(name, RECORDINGS), 'utf8'))))

test('every recording with turns becomes scenarios', () => { expect(recorded.length).toBeGreaterThanOrEqual(30) })

test.each(recorded.map((one) => [one.scenario.name, one] as const))('recording %s can be played: the same ends in the same order', async (_, { scenario, prompts }) => {
  const world = createPlayerWorld({ scenarios: [parseScenario(JSON.parse(JSON.stringify(scenario)))] })
  const a = await world.client()
  const made = resultOf(await a.call('session.create', {}))
  const liveId = String(made['session_id'])
  const ends = scenario.turns.flatMap((turn) => turn.steps.flatMap((step) => (step.op === 'event' && step.type === 'message.complete' ? [step.payload?.['text'] ?? null] : [])))
  for (const prompt of prompts) {
    await a.call('prompt.submit', { session_id: liveId, text: prompt })
    for (let waited = 0; waited < 200 && world.host.live()[0]!.running; waited += 1) {
      await world.clock.advance(1_000)
      const asked = a.events.findLast((event) => event.type.endsWith('.request'))
      if (world.host.live()[0]!.ask === 'approval') await a.call('approval.respond', { session_id: liveId, choice: 'once' })
      else if (world.host.live()[0]!.ask) await a.call(asked!.type.replace('.request', '.respond'), { request_id: asked!.payload['request_id'], answer: 'ok', password: 'ok', value: 'ok' })
    }
    await world.clock.advance(15_000) // Turns that come by themselves.
  }
  expect(a.events.filter((event) => event.type === 'message.complete').map((event) => event.payload['text'] ?? null)).toEqual(ends)
})
