/** What waits: edit, move, remove, hold, release, hints, and messages whose fate a person decides. */
import { expect, test } from 'vitest'
import { createLeaseWorld, type Device, type LeaseWorld } from '#tests/world/lease-world.ts'

const queue = (device: Device): string[] => device.view.messages.filter((m) => m.state === 'queued').map((m) => m.text)
const texts = (world: LeaseWorld): string[] => world.host.submits.map((s) => s.text)
const stateOf = (world: LeaseWorld, id: string) => world.relay.journal.messages.get(id)?.state

/** A turn that lasts ten seconds, and three messages behind it. */
async function waiting() {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 100 100', 'message-0')
  await world.clock.advance(1_500)
  for (const [n, word] of ['a', 'b', 'c'].entries()) await phone.write(`say: ${word}`, `message-${n + 1}`)
  return { world, phone }
}

test('edited, moved and removed while they wait; they run in the new order, with the new words', async () => {
  const { world, phone } = await waiting()
  await phone.say('live.queue.edit', { client_msg_id: 'message-2', text: 'say: B' })
  await phone.say('live.queue.move', { client_msg_id: 'message-3', before: 'message-1' })
  expect(queue(phone)).toEqual(['say: c', 'say: a', 'say: B'])
  await phone.say('live.queue.move', { client_msg_id: 'message-3', before: 'message-2' })
  expect(queue(phone)).toEqual(['say: a', 'say: c', 'say: B'])
  await phone.say('live.queue.move', { client_msg_id: 'message-1', before: null })
  expect(queue(phone)).toEqual(['say: c', 'say: B', 'say: a'])
  await phone.say('live.queue.remove', { client_msg_id: 'message-3' })
  expect(await phone.say('live.queue.move', { client_msg_id: 'message-1', before: 'message-3' })).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.edit', { client_msg_id: 'message-1', text: ' ' })).toEqual({ code: 'message_empty' })
  await world.clock.advance(30_000)
  expect(texts(world)).toEqual(['count 100 100', 'say: B', 'say: a'])
  expect(stateOf(world, 'message-3')).toBe('removed')
})

test('what is on its way cannot be edited, moved or removed any more', async () => {
  const { phone } = await waiting()
  const id = { client_msg_id: 'message-0' }
  expect(await phone.say('live.queue.edit', { ...id, text: 'x' })).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.remove', id)).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.move', { ...id, before: null })).toEqual({ code: 'queue_item_gone' })
})

test.each(['session.create', '/messages', 'session.active_list'])('removed while it is being prepared (%s): not sent, and the next one goes', async (moment) => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  if (moment !== 'session.create') {
    await phone.write('say: warm', 'message-0')
    await world.clock.advance(5_000)
  }
  void phone.write('say: gone', 'message-1')
  await world.clock.advance(moment === '/messages' ? 3 : 1)
  expect(await phone.say('live.queue.remove', { client_msg_id: 'message-1' })).toBeUndefined()
  await phone.write('say: next', 'message-2')
  await world.clock.advance(10_000)
  expect(texts(world)).not.toContain('say: gone')
  expect(texts(world).at(-1)).toBe('say: next')
  expect(phone.bubbles).toEqual(['next'])
})

test('edited while it is being prepared: the new words are sent, once', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  void phone.write('say: old', 'message-1')
  await world.clock.advance(5)
  expect(await phone.say('live.queue.edit', { client_msg_id: 'message-1', text: 'say: new' })).toBeUndefined()
  await world.clock.advance(10_000)
  expect(texts(world)).toEqual(['say: new'])
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('stop holds what waits, also over a restart of the relay; released it runs; a new message alone is not held', async () => {
  const { world, phone } = await waiting()
  expect(await phone.say('live.stop')).toBeUndefined()
  await world.clock.advance(20_000)
  expect(phone.view.held).toBe(true)
  world.relay.kill()
  await world.relay.start()
  await world.clock.advance(20_000)
  const again = await world.device(phone.view.storedId as string)
  expect(again.view.held).toBe(true)
  expect(queue(again)).toEqual(['say: a', 'say: b', 'say: c'])
  expect(texts(world)).toEqual(['count 100 100'])
  expect(await again.say('live.stop')).toBeUndefined() // Nothing runs, but it is held: that is what was wanted.
  for (const n of [1, 2, 3]) await again.say('live.queue.remove', { client_msg_id: `message-${n}` })
  expect(again.view.held).toBe(false)
  await again.write('say: fresh', 'message-9')
  await world.clock.advance(10_000)
  expect(again.bubbles).toEqual(['fresh'])
})

test('a hint before a tool ends reaches the model in its result', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('tool: terminal sleep 3', 'message-1')
  await world.clock.advance(2_000)
  await phone.say('live.steer', { client_msg_id: 'message-2', text: 'be quick' })
  expect(phone.view.messages.find((m) => m.clientMsgId === 'message-2')?.state).toBe('steering')
  await world.clock.advance(10_000)
  expect(stateOf(world, 'message-2')).toBe('steered')
  expect(texts(world)).toHaveLength(1)
  expect(world.host.rows(phone.view.storedId as string).find((r) => r.role === 'tool')?.content).toContain('be quick')
})

test('a hint that met no tool result is queued again and runs as a message of its own', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 30 100', 'message-1')
  await world.clock.advance(1_500)
  await phone.write('say: later', 'message-3')
  await phone.say('live.steer', { client_msg_id: 'message-2', text: 'say: hint' })
  await world.clock.advance(20_000)
  expect(texts(world)).toEqual(['count 30 100', 'say: hint', 'say: later'])
  expect(stateOf(world, 'message-2')).toBe('confirmed')
})

test('a hint that Hermes refuses, and one when nothing runs, are ordinary messages', async () => {
  const world = await createLeaseWorld({ rewrite: (direction, text) => (direction === 'in' && text.includes('"text":"say: refused"') ? [text.replace('"queued"', '"rejected"')] : [text]) })
  const phone = await world.device()
  await phone.say('live.steer', { client_msg_id: 'message-0', text: 'say: idle' })
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['idle'])
  await phone.write('count 30 100', 'message-1')
  await world.clock.advance(500)
  await phone.say('live.steer', { client_msg_id: 'message-2', text: 'say: refused' })
  await world.clock.advance(100)
  expect(phone.view.messages.find((m) => m.clientMsgId === 'message-2')?.state).toBe('queued')
  await world.clock.advance(20_000)
  expect(texts(world)).toEqual(['say: idle', 'count 30 100', 'say: refused'])
})

test('a hint whose answer was lost is unconfirmed: never said to have arrived, never sent again by itself', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('tool: terminal sleep 5', 'message-1')
  await world.clock.advance(1_500)
  world.hand.onFrame = (direction, text) => (direction === 'out' && text.includes('session.steer') ? 'cut' : 'pass')
  await phone.say('live.steer', { client_msg_id: 'message-2', text: 'say: hint' })
  await world.clock.advance(20_000)
  expect(phone.view.messages).toEqual([expect.objectContaining({ clientMsgId: 'message-2', state: 'unconfirmed' })])
  expect(texts(world)).toHaveLength(1)
})

/** A message whose fate nobody knows: Hermes died right after it took it. */
async function unconfirmed() {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-0')
  await world.clock.advance(5_000)
  world.hand.onFrame = (direction, text) => (direction === 'out' && text.includes('prompt.submit') ? 'cut' : 'pass')
  await phone.write('say: maybe', 'message-1')
  await world.clock.advance(30_000) // Lost twice on its way: resent once, then a person must decide.
  world.hand.onFrame = () => 'pass'
  expect(phone.view.messages).toEqual([expect.objectContaining({ state: 'unconfirmed' })])
  return { world, phone }
}

test('unconfirmed: send again', async () => {
  const { world, phone } = await unconfirmed()
  expect(await phone.say('live.resolve', { client_msg_id: 'message-1', verdict: 'send_again' })).toBeUndefined()
  await world.clock.advance(10_000)
  expect(phone.bubbles).toEqual(['maybe'])
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test.each([['arrived', 'confirmed'], ['discard', 'removed']])('unconfirmed: %s', async (verdict, state) => {
  const { world, phone } = await unconfirmed()
  expect(await phone.say('live.resolve', { client_msg_id: 'message-1', verdict })).toBeUndefined()
  expect(phone.view.messages).toEqual([])
  await world.clock.advance(10_000)
  expect(stateOf(world, 'message-1')).toBe(state)
  expect(texts(world)).toEqual(['say: warm'])
})
