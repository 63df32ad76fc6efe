/** The `live` channel: every frame a device may say, what it is refused, and what it is told. */
import { expect, test } from 'vitest'
import { MESSAGE_BYTES_MAX, QUEUE_MAX } from '#protocol/live/live-frame.ts'
import { createLeaseWorld, type Device, DRAFT } from '#tests/world/lease-world.ts'
import { FOLLOWED_MAX } from './live-channel.ts'

const accepted = (device: Device) => device.frames.flatMap((f) => (f.type === 'live.accepted' ? [f.payload] : []))
const activities = (device: Device) => device.frames.flatMap((f) => (f.type === 'live.activity' ? [f.payload.sessions] : []))

test.each([
  ['live.attach', { session: '../etc' }, 'payload.session'],
  ['live.attach', { after: -1 }, 'payload.after'],
  ['live.detach', { session: '' }, 'payload.session'],
  ['live.submit', { text: 'no id' }, 'payload.client_msg_id'],
  ['live.submit', { client_msg_id: 'short', text: 'x' }, 'payload.client_msg_id'],
  ['live.submit', { client_msg_id: 'message-1', text: 'x', options: { approval_mode: 'yes' } }, 'payload.options.approval_mode'],
  ['live.answer', { ask_id: 'a', answer: { kind: 'shout', text: 'x' } }, 'payload.answer.kind'],
  ['live.stop', { session: 7 }, 'payload.session'],
  ['live.steer', { client_msg_id: 'message-1' }, 'payload.text'],
  ['live.queue.edit', { client_msg_id: 'message-1' }, 'payload.text'],
  ['live.queue.move', { client_msg_id: 'message-1' }, 'payload.before'],
  ['live.queue.remove', {}, 'payload.client_msg_id'],
  ['live.queue.release', { session: null }, 'payload.session'],
  ['live.resolve', { client_msg_id: 'message-1', verdict: 'maybe' }, 'payload.verdict'],
  ['live.takeover', { session: 'a b' }, 'payload.session'],
  ['live.burn', {}, 'type'],
])('a frame that cannot be read is refused and says where: %s %j', async (type, payload, path) => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  expect(await phone.say(type, payload)).toEqual({ code: 'frame_malformed', detail: { path } })
  expect(world.relay.journal.messages.size).toBe(0)
})

test('each frame that does not fit the moment is refused with its own code, and changes nothing', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  const id = { client_msg_id: 'message-1' }
  expect(await phone.say('live.submit', { ...id, text: '  ' })).toEqual({ code: 'message_empty' })
  expect(await phone.say('live.submit', { ...id, text: 'ü'.repeat(MESSAGE_BYTES_MAX / 2 + 1) })).toEqual({ code: 'message_too_long' })
  expect(await phone.say('live.submit', { ...id, text: 'x', attachments: [{}] })).toEqual({ code: 'attachments_unsupported' })
  expect(await phone.say('live.answer', { ask_id: 'nobody', answer: { kind: 'text', text: 'x' } })).toEqual({ code: 'ask_unknown' })
  expect(await phone.say('live.stop')).toEqual({ code: 'nothing_running' })
  expect(await phone.say('live.queue.edit', { ...id, text: 'x' })).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.move', { ...id, before: null })).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.remove', id)).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.resolve', { ...id, verdict: 'discard' })).toEqual({ code: 'queue_item_gone' })
  expect(await phone.say('live.queue.release')).toBeUndefined()
  expect(await phone.say('live.detach')).toBeUndefined()
  world.host.kill()
  await world.clock.advance(100)
  expect(await phone.say('live.takeover')).toEqual({ code: 'upstream_unreachable' })
  expect(world.relay.journal.messages.size).toBe(0)
})

test('a device without the grant to approve may read, not answer', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('danger 1')
  await world.clock.advance(3_000)
  phone.grants.delete('approve')
  const answer = { ask_id: phone.view.asks[0]?.askId, answer: { kind: 'choice', choice: 'once' } }
  expect(await phone.say('live.answer', answer)).toEqual({ code: 'grant_missing', detail: { grant: 'approve' } })
  expect(phone.view.asks[0]?.state).toBe('open')
  expect(world.calls('approval.respond')).toEqual([])
  phone.grants.add('approve')
  expect(await phone.say('live.answer', answer)).toBeUndefined()
})

test('the same message twice is one message: the second answer says so, also when the queue is full or it is long done', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 300 100', 'message-a')
  await world.clock.advance(2_000)
  for (let n = 1; n < QUEUE_MAX; n += 1) expect(await phone.write(`say: ${n}`, `queued-message-${n}`)).toBeUndefined()
  await world.clock.settle()
  const full = QUEUE_MAX - phone.view.messages.length
  for (let n = 0; n < full; n += 1) await phone.write('say: more', `filling-up-${n}`)
  await world.clock.settle()
  expect(await phone.write('say: one too many', 'one-too-many')).toEqual({ code: 'queue_full' })
  expect(await phone.write('say: 1', 'queued-message-1')).toBeUndefined()
  expect(accepted(phone).at(-1)).toEqual({ session: DRAFT, client_msg_id: 'queued-message-1', state: 'queued', duplicate: true })
  expect(phone.view.messages.filter((m) => m.clientMsgId === 'queued-message-1')).toHaveLength(1)
  for (let n = 1; n < QUEUE_MAX; n += 1) await phone.say('live.queue.remove', { client_msg_id: `queued-message-${n}` })
  await world.clock.advance(60_000)
  await phone.write('count 300 100', 'message-a')
  expect(accepted(phone).at(-1)).toMatchObject({ client_msg_id: 'message-a', state: 'confirmed', duplicate: true })
  await phone.write('say: 1', 'queued-message-1') // Taken back: a late repeat does not bring it back.
  await world.clock.advance(5_000)
  expect(world.host.submits.map((s) => s.text)).not.toContain('say: 1')
})

test('one socket follows at most FOLLOWED_MAX conversations; letting go of one makes room', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device('draft:follow-00')
  for (let n = 1; n < FOLLOWED_MAX; n += 1) expect(await phone.say('live.attach', { session: `draft:follow-${String(n).padStart(2, '0')}` })).toBeUndefined()
  expect(await phone.say('live.attach', { session: 'draft:one-too-many' })).toEqual({ code: 'lease_limit' })
  expect(await phone.say('live.attach', { session: 'draft:follow-07' })).toBeUndefined() // Again is not one more.
  await phone.say('live.detach', { session: 'draft:follow-07' })
  expect(await phone.say('live.attach', { session: 'draft:one-too-many' })).toBeUndefined()
  expect(world.lease('draft:follow-07').subscriberCount).toBe(0)
  phone.close()
  expect(world.relay.registry.leases.every((lease) => lease.subscriberCount === 0)).toBe(true)
})

test('two pages of one conversation, one under its draft name, one under its stored name: one lease, the same view', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 40 100')
  await world.clock.advance(2_000)
  const tablet = await world.device(phone.view.storedId as string, 'Tablet')
  expect(world.relay.registry.leases).toHaveLength(1)
  expect([phone.view.session, tablet.view.session]).toEqual([DRAFT, phone.view.storedId])
  await tablet.write('say: from the tablet', 'message-t')
  expect(phone.view.messages.at(-1)).toMatchObject({ text: 'say: from the tablet', device: 'Tablet', state: 'queued' })
  await world.clock.advance(20_000)
  expect(phone.bubbles).toEqual(['from the tablet'])
  expect({ ...tablet.view, session: '' }).toEqual({ ...phone.view, session: '' })
  expect(new Set(phone.frames.flatMap((f) => ('session' in f.payload ? [f.payload.session] : [])))).toEqual(new Set([DRAFT]))
})

test('every frame of a page means the conversation it follows, in the profile it named', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device(DRAFT, 'Phone', 'coder')
  await phone.write('count 100 100', 'message-1')
  await world.clock.advance(3_000)
  expect(world.calls('session.create')).toEqual([expect.objectContaining({ profile: 'coder' })])
  await phone.say('live.steer', { client_msg_id: 'message-2', text: 'a hint' })
  expect(world.calls('session.steer')).toHaveLength(0)
  await world.clock.advance(10)
  expect(world.calls('session.steer')).toHaveLength(1)
  expect(await phone.say('live.stop')).toBeUndefined()
  await world.clock.advance(2_000)
  expect(phone.view.turn?.outcome?.status).toBe('interrupted')
  expect(world.relay.registry.leases.map((lease) => lease.profile)).toEqual(['coder'])
  await phone.say('live.detach')
  expect(world.lease(DRAFT, 'coder').subscriberCount).toBe(0)
})

test('a conversation of a profile comes back under its stored name after a restart', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device(DRAFT, 'Phone', 'coder')
  await phone.write('error 500', 'message-1')
  await world.clock.advance(5_000)
  const stored = phone.view.storedId as string
  expect(phone.view.outcomes).toHaveLength(1)
  world.relay.kill()
  await world.relay.start()
  await world.clock.advance(100)
  const again = await world.device(stored, 'Phone', 'coder')
  expect(again.view.outcomes).toEqual(phone.view.outcomes)
  expect(world.lease(stored, 'coder').key).toBe(`coder/${DRAFT}`)
})

test('marks for the list: sent at once to a new socket, and on change to all, merged and never twice the same', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  expect(activities(phone)).toEqual([[]])
  await phone.write('danger 1', 'message-1')
  await world.clock.advance(150)
  await world.clock.advance(5_000)
  const stored = phone.view.storedId as string
  expect(activities(phone).at(-1)).toEqual([expect.objectContaining({ session: stored, state: 'asking' })])
  expect(activities(phone).some((a) => a[0]?.state === 'running')).toBe(true)
  const tablet = await world.device(stored, 'Tablet')
  expect(activities(tablet)[0]).toEqual(activities(phone).at(-1))
  await phone.say('live.answer', { ask_id: phone.view.asks[0]?.askId, answer: { kind: 'choice', choice: 'deny' } })
  await world.clock.advance(10_000)
  expect(activities(phone).at(-1)).toEqual([])
  const seen = activities(phone).map((a) => JSON.stringify(a))
  expect(seen.some((one, n) => n > 0 && one === seen[n - 1])).toBe(false)
  tablet.close()
  const before = tablet.frames.length
  await phone.write('say: more', 'message-2')
  await world.clock.advance(5_000)
  expect(tablet.frames).toHaveLength(before) // A closed socket hears nothing.
})

test('a queue that waits for a line is marked as queued', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  world.host.kill()
  await world.clock.advance(100)
  await phone.write('say: later', 'message-1')
  await world.clock.advance(200)
  expect(activities(phone).at(-1)).toEqual([{ session: DRAFT, state: 'queued', title: null }])
})
