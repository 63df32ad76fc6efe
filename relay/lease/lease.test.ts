/** A lease against the player: what a device sees from its first message on. */
import { expect, test } from 'vitest'
import type { ChannelSession } from '#relay/hub/channel.ts'
import { createPlayerHost } from '#relay/embedded/player-host.ts'
import { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import { RelayWorld } from '#tests/world/relay-world.ts'
import { createSeededChance } from '#tests/world/seeded-chance.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import { initialAttach, stepAttach } from '#web/core/attach/attach.ts'

async function createWorld() {
  const clock = createVirtualClock()
  const chance = createSeededChance(7)
  const host = createPlayerHost({ clock, chance })
  const relay = new RelayWorld({ clock, chance, host })
  await relay.start()
  await clock.advance(50)
  return { clock, host, relay }
}
type World = Awaited<ReturnType<typeof createWorld>>

function connect(world: World, session: string, deviceName = 'Phone') {
  let attach = stepAttach(stepAttach(initialAttach(session), { kind: 'link_up' })[0], { kind: 'opened' })[0]
  const frames: LiveRelayFrame[] = []
  const socket: ChannelSession = {
    socketId: deviceName, deviceId: deviceName, deviceName, supports: { live: 1 }, hasGrant: () => true,
    send: (type, payloadJson) => {
      const frame = LiveRelayFrame.parse({ type, payload: JSON.parse(payloadJson) })
      frames.push(frame)
      attach = stepAttach(attach, { kind: 'frame', frame, nowMs: world.clock.now() })[0]
    },
  }
  const handle = world.relay.channel.open(socket)
  const say = (type: string, payload: Record<string, unknown>) => handle.onFrame({ channel: 'live', type, payload: { session, ...payload } })
  return { say, frames, close: () => handle.onClose(), view: (): LiveView => attach.view, attach: () => say('live.attach', {}) }
}

const words = (view: LiveView): string => view.turn?.blocks.flatMap((b) => (b.kind === 'text' ? [b.text] : [])).join('|') ?? ''

test('a first message makes the conversation, runs its turn, and is confirmed by its row', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'say: hello there' })
  expect(page.frames.some((f) => f.type === 'live.accepted')).toBe(true)
  await world.clock.advance(10_000)
  expect(words(page.view())).toBe('hello there')
  expect(page.view().turn?.phase).toBe('ended')
  expect(page.view().messages).toEqual([])
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
  const stored = page.view().storedId as string
  expect(world.host.userRows(stored).map((r) => r.content)).toEqual(['say: hello there'])
  expect(page.view().historyAnchor).toBe(world.host.rows(stored).at(-1)?.id)
})

test('a message written while the agent works waits, then runs; a second device sees the same', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'count 40 100' })
  await world.clock.advance(2_000)
  await page.say('live.submit', { client_msg_id: 'message-2', text: 'say: second' })
  await world.clock.advance(500)
  const tablet = connect(world, page.view().storedId as string, 'Tablet')
  await tablet.attach()
  expect(page.view().messages.map((m) => m.state)).toContain('queued')
  expect(tablet.view().turn).toEqual(page.view().turn)
  await world.clock.advance(20_000)
  expect(words(page.view())).toBe('second')
  expect(tablet.view().turn).toEqual(page.view().turn)
  expect(world.host.submits.map((s) => s.status)).toEqual(['streaming', 'streaming'])
})

test('a socket that dies in mid-turn loses no word; a relay that dies neither', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'count 60 100' })
  await world.clock.advance(3_000)
  for (const id of world.host.socketIds) world.host.dropSocket(id)
  await world.clock.advance(2_000)
  expect(page.view().turn?.phase).toBe('running')
  const stored = page.view().storedId as string
  world.relay.kill()
  await world.relay.start()
  await world.clock.advance(100)
  const again = connect(world, stored)
  await again.attach()
  await world.clock.advance(1_000)
  expect(again.view().turn).toMatchObject({ phase: 'running', prompt: 'count 60 100', gap: true })
  await world.clock.advance(20_000)
  expect(words(again.view())).toBe(Array.from({ length: 60 }, (_, i) => i + 1).join(' '))
  expect(again.view().turn?.outcome?.status).toBe('complete')
  expect(world.host.calls.filter((c) => c.method === 'session.interrupt')).toEqual([])
  expect(world.host.userRows(stored)).toHaveLength(1)
})

test('an approval is answered once, by whoever is first', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'danger 1' })
  await world.clock.advance(5_000)
  const tablet = connect(world, page.view().storedId as string, 'Tablet')
  await tablet.attach()
  const ask = page.view().asks[0]
  expect(ask).toMatchObject({ kind: 'approval', state: 'open' })
  const first = await tablet.say('live.answer', { ask_id: ask?.askId, answer: { kind: 'choice', choice: 'deny' } })
  const second = await page.say('live.answer', { ask_id: ask?.askId, answer: { kind: 'choice', choice: 'once' } })
  expect(first).toBeUndefined()
  expect(second).toMatchObject({ code: 'ask_already_answered', detail: { by: 'Tablet', answer: 'deny' } })
  await world.clock.advance(10_000)
  expect(page.view().asks[0]).toMatchObject({ state: 'answered', answeredBy: 'Tablet' })
  expect(world.host.calls.filter((c) => c.method === 'approval.respond')).toHaveLength(1)
  expect(page.view().turn?.phase).toBe('ended')
})

test('stop interrupts once and holds what waits', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'count 100 100' })
  await world.clock.advance(3_000)
  await page.say('live.submit', { client_msg_id: 'message-2', text: 'say: later' })
  await page.say('live.stop', {})
  await world.clock.advance(5_000)
  expect(page.view().turn?.outcome?.status).toBe('interrupted')
  expect(page.view()).toMatchObject({ held: true, messages: [{ clientMsgId: 'message-2', state: 'queued' }] })
  await page.say('live.queue.release', {})
  await world.clock.advance(5_000)
  expect(words(page.view())).toBe('later')
  expect(world.host.calls.filter((c) => c.method === 'session.interrupt')).toHaveLength(1)
})

test('Hermes dies in mid-turn: the turn is lost and said so, the next message goes through', async () => {
  const world = await createWorld()
  const page = connect(world, 'draft:00000001')
  await page.attach()
  await page.say('live.submit', { client_msg_id: 'message-1', text: 'count 100 100' })
  await world.clock.advance(4_000)
  world.host.kill()
  await world.clock.advance(3_000)
  expect(page.view().link).toBe('down')
  world.host.restart()
  await world.clock.advance(20_000)
  expect(page.view().turn?.outcome?.status).toBe('lost')
  expect(page.view().outcomes).toHaveLength(1)
  await page.say('live.submit', { client_msg_id: 'message-2', text: 'say: back' })
  await world.clock.advance(8_000)
  expect(words(page.view())).toBe('back')
})
