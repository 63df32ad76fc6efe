/** What a lease learns from safe reads alone: a turn of another program on its own session, and where an outcome stands. */
import { expect, test } from 'vitest'
import { createPlayerHost } from '#relay/embedded/player-host.ts'
import { createPlayerTransport } from '#relay/embedded/player-transport.ts'
import { PageWorld } from '#tests/world/page-world.ts'
import { RelayWorld } from '#tests/world/relay-world.ts'
import { createSeededChance } from '#tests/world/seeded-chance.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import { RpcSocket } from './rpc-socket.ts'
import { FOREIGN_TURN_MS } from './lease-watch.ts'
import { WATCH_MS } from './lease-turn.ts'

async function createWorld() {
  const clock = createVirtualClock()
  const chance = createSeededChance(11)
  const host = createPlayerHost({ clock, chance })
  const relay = new RelayWorld({ clock, chance, host })
  await relay.start()
  const page = new PageWorld({ clock, relay, deviceName: 'Phone', session: 'draft:00000001' })
  page.wake()
  await clock.advance(100)
  return { clock, chance, host, relay, page }
}

test('a submit of another program on our idle session: said so after two looks, taken over by a click only', async () => {
  const { clock, chance, host, relay, page } = await createWorld()
  page.write('say: ours', 'message-1')
  await clock.advance(8_000)
  expect(page.view).toMatchObject({ owner: 'ours', turn: { phase: 'ended' } })
  const other = new RpcSocket(createPlayerTransport({ clock, chance, host }), clock, { onReady: () => {}, onEvent: () => {}, onRequest: () => {}, onClose: () => {} })
  await clock.advance(100)
  const { liveId } = relay.registry.find(page.session, null)!
  void other.call('prompt.submit', { session_id: liveId, text: 'count 400 100' }, 60_000)
  const moves = () => host.calls.filter((call) => call.method === 'session.activate' || call.method === 'session.resume').length
  const before = moves()
  await clock.advance(WATCH_MS + FOREIGN_TURN_MS + 500)
  expect(page.view.owner).toBe('elsewhere')
  expect(moves()).toBe(before)
  page.say('live.takeover', {})
  await clock.advance(500)
  expect(page.view).toMatchObject({ owner: 'ours', turn: { phase: 'running', origin: 'agent', prompt: 'count 400 100' } })
})

test('the outcome of a turn with rows of its own stands behind the last of them', async () => {
  const { clock, host, page } = await createWorld()
  page.write('chain: echo a | sleep 60', 'message-1')
  await clock.advance(6_000)
  page.say('live.stop', {})
  await clock.advance(5_000)
  const { storedId, outcomes } = page.view
  expect(outcomes).toMatchObject([{ outcome: { status: 'interrupted' } }])
  const rows = host.rows(storedId!)
  expect(rows.length).toBeGreaterThan(2)
  expect(outcomes[0]?.afterRowId).toBe(rows.at(-1)?.id)
})
