/** All leases together: their bounds, their names, and what a person chose at New chat. */
import { expect, test } from 'vitest'
import { createLeaseWorld, DRAFT } from '#tests/world/lease-world.ts'
import { LEASES_MAX, QUIET_MS } from './lease-registry.ts'
import { MAILBOX_MAX } from './lease.ts'

test('LEASES_MAX: a quiet conversation that nobody follows makes room, one that is followed never', async () => {
  const world = await createLeaseWorld()
  const { registry } = world.relay
  for (let n = 0; n < LEASES_MAX; n += 1) (await registry.open(`draft:number-${n}`, null))?.subscribe({ name: 'x', event: () => {} }, null, null)
  expect(registry.leases).toHaveLength(LEASES_MAX)
  expect(await registry.open('draft:one-too-many', null)).toBeNull()
  expect(await registry.submit({ session: 'draft:one-too-many', profile: null, clientMsgId: 'message-1', text: 'x', deviceId: 'd', deviceName: 'd', options: null, steer: false })).toEqual({ kind: 'refused', code: 'lease_limit' })
  expect((await registry.open('draft:number-7', null))?.key).toBe('draft:number-7')
  const phone = await world.device('draft:number-8')
  phone.close()
  expect(await registry.open('draft:one-too-many', null)).toBeNull() // The other follower is still there.
})

test('LEASES_MAX: room is made, and a message of a lease that made room meanwhile still runs', async () => {
  const world = await createLeaseWorld()
  const { registry } = world.relay
  for (let n = 0; n < LEASES_MAX; n += 1) await registry.open(`draft:number-${n}`, null)
  const save = world.relay.journal.saveSession.bind(world.relay.journal)
  world.relay.journal.saveSession = async (session, nowMs) => { // While the message is written down, another conversation needs the room.
    world.relay.journal.saveSession = save
    expect(await registry.open('draft:one-too-many', null)).not.toBeNull()
    await save(session, nowMs)
  }
  const accepted = await registry.submit({ session: 'draft:number-3', profile: null, clientMsgId: 'message-1', text: 'say: still here', deviceId: 'd', deviceName: 'd', options: null, steer: false })
  expect(accepted).toMatchObject({ kind: 'accepted' })
  await world.clock.advance(10_000)
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
  expect(registry.leases.length).toBeLessThan(5)
})

test('a quiet lease ends after half an hour; one that runs, asks, waits or is followed does not', async () => {
  const world = await createLeaseWorld()
  const { registry } = world.relay
  const phone = await world.device('draft:followed-1')
  const quiet = await world.device('draft:quiet-001')
  await quiet.write('say: done', 'message-q')
  const asking = await world.device('draft:asking-01')
  world.host.request('PUT', '/api/config', { config: { approvals: { timeout: 7_200 } } })
  await asking.write('danger 1', 'message-a')
  await world.clock.advance(10_000)
  quiet.close()
  asking.close()
  await world.clock.advance(QUIET_MS + 120_000)
  expect(registry.leases.map((lease) => lease.key).sort()).toEqual(['draft:asking-01', 'draft:followed-1'])
  expect(phone.view.session).toBe('draft:followed-1')
  expect(registry.find(quiet.view.storedId as string, null)).toBeNull()
})

test('MAILBOX_MAX: a flood of events during a write is bounded and said as a gap; answers and commands get through', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 20 100', 'message-1')
  await world.clock.advance(1_500)
  const lease = world.lease()
  let release = (): void => undefined
  const save = world.relay.journal.saveMessage.bind(world.relay.journal)
  world.relay.journal.saveMessage = async (m) => {
    world.relay.journal.saveMessage = save
    await new Promise<void>((resolve) => { release = resolve })
    await save(m)
  }
  const written = phone.write('say: next', 'message-2')
  await world.clock.settle()
  for (let n = 0; n < MAILBOX_MAX + 100; n += 1) lease.post({ kind: 'fact', fact: { kind: 'turn', event: { kind: n % 2 === 0 ? 'text' : 'reasoning', text: 'x' } } }) // Words of one kind would be one input.
  const stopped = phone.say('live.stop')
  await world.clock.settle()
  release()
  expect(await written).toBeUndefined()
  expect(await stopped).toBeUndefined()
  await world.clock.settle()
  expect(phone.view.turn).toMatchObject({ gap: true })
  expect(world.relay.log.filter((l) => l.line === 'lease mailbox is full')).toHaveLength(1)
  await world.clock.advance(5_000)
  expect(phone.view.turn?.outcome?.status).toBe('interrupted')
})

const options = { model: 'demo-script-mini', provider: 'demo', cwd: '/garden', approval_mode: 'off', title: 'Beds' }

test('what was chosen at New chat is set before the first word, for this session only; nothing global is written', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: hi', 'message-1', { options })
  await world.clock.advance(5_000)
  expect(world.calls('session.create')).toEqual([expect.objectContaining({ cwd: '/garden', title: 'Beds' })])
  const { liveId } = world.lease()
  expect(world.calls('config.set')).toEqual([
    { key: 'model', value: 'demo-script-mini --provider demo', session_id: liveId }, { key: 'yolo', value: '1', scope: 'session', session_id: liveId },
  ])
  const order = world.host.calls.map((c) => c.method).filter((m) => m === 'config.set' || m === 'prompt.submit')
  expect(order).toEqual(['config.set', 'config.set', 'prompt.submit'])
  expect(phone.view).toMatchObject({ title: 'Beds', info: { model: 'demo-script-mini', cwd: '/garden', yolo: true } })
  await phone.write('say: again', 'message-2')
  await world.clock.advance(5_000)
  expect(world.calls('config.set')).toHaveLength(2) // Once.
})

test('a choice that Hermes refuses fails the message in its words, and never runs under another model, however often it is sent', async () => {
  const world = await createLeaseWorld({ rewrite: (direction, text) => [direction === 'out' && text.includes('"model"') ? text.replace('"key":"model"', '"key":"nonsense"') : text] })
  const phone = await world.device()
  await phone.write('say: hi', 'message-1', { options })
  await world.clock.advance(5_000)
  expect(phone.view.messages).toEqual([expect.objectContaining({ state: 'failed', reason: 'Hermes did not take the setting: unknown config key: nonsense' })])
  await phone.say('live.resolve', { client_msg_id: 'message-1', verdict: 'send_again' })
  await phone.write('say: other', 'message-2')
  await world.clock.advance(10_000)
  expect(phone.view.messages.map((m) => m.state)).toEqual(['failed', 'failed'])
  expect(world.host.submits).toEqual([])
})

test('a message removed, or a line lost, between two choices: the next message has them all the same', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  let cut = true
  world.hand.onFrame = (direction, text) => {
    if (direction !== 'out' || !text.includes('config.set') || !cut) return 'pass'
    cut = false
    return 'cut'
  }
  await phone.write('say: gone', 'message-1', { options })
  await world.clock.advance(12)
  expect(cut).toBe(false)
  await phone.say('live.queue.remove', { client_msg_id: 'message-1' })
  await phone.write('say: next', 'message-2')
  await world.clock.advance(30_000)
  expect(phone.bubbles).toEqual(['next'])
  expect(world.calls('config.set').map((p) => p['key'])).toEqual(['model', 'yolo'])
  expect(phone.view.info).toMatchObject({ model: 'demo-script-mini', yolo: true })
})

test('a model that wants to be confirmed is not used unasked', async () => {
  const world = await createLeaseWorld({ rewrite: (direction, text) => [direction === 'in' ? text.replace('"confirm_required":false,"confirm_message":""', '"confirm_required":true,"confirm_message":"This model is expensive."') : text] })
  const phone = await world.device(DRAFT)
  await phone.write('say: hi', 'message-1', { options })
  await world.clock.advance(5_000)
  expect(phone.view.messages).toEqual([expect.objectContaining({ state: 'failed', reason: 'This model is expensive.' })])
  expect(world.host.submits).toEqual([])
})
