import { expect, test } from 'vitest'
import { jitterMs } from '#protocol/backoff/backoff.ts'
import { createScriptedTransport } from '#tests/world/scripted-transport.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import { BACKOFF_BASE_MS, BACKOFF_CAP_MS, CALL_MS, GatewayLink, type LinkState, PROBE_MS, RATE_LIMITED_PAUSE_MS, REFUSED_PAUSE_MS, STABLE_MS } from './gateway-link.ts'
import { READY_WITHIN_MS } from './rpc-socket.ts'

function open(unit = 0.999_999) {
  const clock = createVirtualClock()
  const transport = createScriptedTransport()
  const states: LinkState[] = []
  const link = new GatewayLink({ transport, clock, chance: { unit: () => unit, uuid: () => 'u', token: () => 't' } }, { onState: (s) => states.push(s), onEvent: () => {}, onRequest: () => {} })
  link.open()
  const socket = (n: number) => {
    const found = transport.sockets.at(n)
    if (!found) throw new Error(`socket ${n} was never opened`)
    return found
  }
  return { clock, transport, states, link, socket, last: () => socket(-1) }
}
const list = (...ids: string[]) => ({ sessions: ids.map((id) => ({ id, session_key: `stored-${id}`, status: 'idle' })) })

/** The time until the next socket is opened, in ms. */
async function pauseOf(world: ReturnType<typeof open>): Promise<number> {
  const before = world.transport.sockets.length
  const startMs = world.clock.now()
  while (world.transport.sockets.length === before) {
    const nextMs = world.clock.nextAtMs()
    if (nextMs === null) throw new Error('nobody will open a socket')
    await world.clock.advance(nextMs - world.clock.now())
  }
  return world.clock.now() - startMs
}

test('a line that never comes up is tried on a doubling ladder with full jitter, up to its cap', async () => {
  const world = open()
  const pauses: number[] = []
  for (let attempt = 0; attempt < 9; attempt += 1) {
    world.last().die()
    pauses.push(await pauseOf(world))
  }
  expect(pauses).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, BACKOFF_CAP_MS, BACKOFF_CAP_MS, BACKOFF_CAP_MS])
  const half = open(0.5)
  half.last().die()
  expect(await pauseOf(half)).toBe(jitterMs(0.5, BACKOFF_BASE_MS))
})

test('a line that was up is tried again almost at once; one that stayed up begins the ladder anew', async () => {
  const world = open()
  for (let n = 0; n < 4; n += 1) {
    world.last().die()
    await pauseOf(world)
  }
  world.last().ready()
  await world.clock.advance(STABLE_MS - 1)
  world.last().die()
  expect(await pauseOf(world)).toBe(4_800) // Not stable: the ladder goes on.
  world.last().ready()
  await world.clock.advance(STABLE_MS)
  world.last().die()
  expect(await pauseOf(world)).toBeLessThanOrEqual(100)
})

test('each line has its own generation; a closed link opens no more', async () => {
  const world = open()
  world.last().ready()
  expect(world.link.state).toEqual({ kind: 'up', gen: 1 })
  world.last().die()
  expect(world.link.state).toEqual({ kind: 'down', refusal: null })
  await pauseOf(world)
  world.last().ready()
  expect(world.states).toEqual([{ kind: 'up', gen: 1 }, { kind: 'down', refusal: null }, { kind: 'up', gen: 2 }])
  world.link.close()
  world.link.open()
  expect(world.socket(-1).closed).toBe(true)
  await world.clock.advance(60_000)
  expect(world.transport.sockets).toHaveLength(2)
  expect(await world.link.active()).toBeNull()
})

test('a line that opens and says nothing is given up and tried again', async () => {
  const world = open()
  expect(await pauseOf(world)).toBe(READY_WITHIN_MS + BACKOFF_BASE_MS)
  expect(world.socket(0).closed).toBe(true)
})

test('what only a person can mend is asked rarely, a door that limits us even less', async () => {
  const world = open()
  world.last().die('sign_in')
  expect(world.link.state).toEqual({ kind: 'down', refusal: 'sign_in' })
  expect(await pauseOf(world)).toBe(REFUSED_PAUSE_MS)
  world.last().die('unsupported')
  expect(await pauseOf(world)).toBe(REFUSED_PAUSE_MS)
  world.last().die('rate_limited')
  expect(await pauseOf(world)).toBe(RATE_LIMITED_PAUSE_MS)
})

test('calls without a line are lost, not queued', async () => {
  const world = open()
  expect(await world.link.call('prompt.submit', {})).toEqual({ kind: 'lost' })
  expect(world.link.respond('srq-1', {})).toBe(false)
  world.last().ready()
  const call = world.link.call('prompt.submit', {})
  world.last().die()
  expect(await call).toEqual({ kind: 'lost' })
})

test('a probe that is not answered in time drops the main socket; a slow ordinary call later', async () => {
  const world = open()
  world.last().ready()
  const probe = world.link.active('main')
  await world.clock.advance(PROBE_MS - 1)
  expect(world.socket(0).closed).toBe(false)
  await world.clock.advance(1)
  expect(world.socket(0).closed).toBe(true)
  expect(await probe).toBeNull()
  await pauseOf(world)
  world.last().ready()
  const call = world.link.call('session.title', {})
  await world.clock.advance(CALL_MS)
  expect(await call).toEqual({ kind: 'lost' })
})

test('safe reads have their own socket; a question asked while one is on its way shares the next, never an older answer', async () => {
  const world = open()
  world.last().ready()
  const first = world.link.active()
  const side = world.socket(1)
  side.ready()
  await world.clock.settle()
  const second = world.link.active()
  const third = world.link.active()
  expect(side.sent.filter((f) => f.method === 'session.active_list')).toHaveLength(1)
  side.answer('session.active_list', list('a'))
  expect((await first)?.map((row) => row.liveId)).toEqual(['a'])
  await world.clock.settle()
  expect(side.sent.filter((f) => f.method === 'session.active_list')).toHaveLength(2)
  side.answer('session.active_list', list('a', 'b'))
  expect((await second)?.map((row) => row.liveId)).toEqual(['a', 'b'])
  expect(await third).toBe(await second)
  expect(world.socket(0).sent.map((f) => f.method)).toEqual(['client.capabilities'])
})

test('without a side socket the main one serves; the side socket goes down with the main one', async () => {
  const world = open()
  world.last().ready()
  const read = world.link.active()
  world.socket(1).die()
  await world.clock.settle()
  world.socket(0).answer('session.active_list', list('a'))
  expect((await read)?.map((row) => row.storedId)).toEqual(['stored-a'])
  const again = world.link.active()
  world.socket(2).ready()
  await world.clock.settle()
  world.socket(2).answer('session.active_list', { sessions: [{ id: 7 }, null, { id: 'b' }] })
  expect(await again).toEqual([{ liveId: 'b', storedId: '', status: '', messageCount: null, lastActive: null, title: '' }])
  const lost = world.link.active()
  world.socket(0).die()
  expect(world.socket(2).closed).toBe(true)
  await world.clock.settle()
  expect(await lost).toBeNull()
})

test('a list that cannot be read is no list', async () => {
  const world = open()
  world.last().ready()
  const read = world.link.active('main')
  world.last().answer('session.active_list', { sessions: 'many' })
  expect(await read).toBeNull()
})
