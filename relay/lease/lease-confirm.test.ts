/** What an attacker found about messages that Hermes stores in other words, and about what nobody may send. */
import { expect, test } from 'vitest'
import { createLeaseWorld, DRAFT } from '#tests/world/lease-world.ts'

const AT = 'say: look at @folder:. and @diff'
const stateOf = (world: Awaited<ReturnType<typeof createLeaseWorld>>, id: string) => world.relay.journal.messages.get(id)?.state

test('a message with references is confirmed by the row that Hermes made of it', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write(AT, 'message-1')
  await world.clock.advance(6_000)
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('it is not run a second time after the relay was killed', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-0')
  await world.clock.advance(6_000)
  await phone.write(AT, 'message-1')
  await world.clock.advance(20)
  const stored = phone.view.storedId as string
  world.relay.kill()
  await world.relay.start()
  await world.clock.advance(30_000)
  expect(world.host.userRows(stored)).toHaveLength(2)
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('a row that reads quite differently: nothing is sent again, the person decides', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-0')
  await world.clock.advance(6_000)
  world.hand.onFrame = (direction, text) => (direction === 'out' && text.includes('prompt.submit') ? 'cut' : 'pass')
  await phone.write('say: lost on its way', 'message-1')
  await world.clock.advance(10)
  const stored = phone.view.storedId as string
  world.host.foreignRows(stored, [{ role: 'user', content: 'in other words' }, { role: 'assistant', content: 'yes', finish_reason: 'stop' }] as never)
  world.hand.onFrame = () => 'pass'
  await world.clock.advance(20_000)
  expect(phone.view.messages.find((m) => m.clientMsgId === 'message-1')).toMatchObject({ state: 'unconfirmed', reason: expect.stringContaining('reads differently') })
  expect(world.host.submits.map((s) => s.text)).toEqual(['say: warm'])
})

test('after the turn of an acknowledged message, an unlike row is taken for it', async () => {
  const world = await createLeaseWorld({ rewrite: (direction, text) => [direction === 'out' ? text.replace('"text":"say: mine"', '"text":"say: rewritten"') : text] })
  const phone = await world.device()
  await phone.write('say: mine', 'message-1')
  await world.clock.advance(15_000)
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('half a character is stored whole, so that its row is found', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: broken \ud83d', 'message-1')
  await world.clock.advance(6_000)
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('an id that another conversation used is refused; the default profile by name is the same conversation', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: one', 'message-1')
  await world.clock.advance(6_000)
  const other = await world.device('draft:00000002', 'Tablet')
  expect(await other.write('say: two', 'message-1')).toEqual({ code: 'message_id_taken' })
  await world.device(phone.view.storedId as string, 'Laptop', 'default')
  expect(world.relay.registry.leases.map((l) => l.key)).toEqual([DRAFT, 'draft:00000002'])
})

test('what is no profile, and an edit beyond the limit, are refused', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  expect(await phone.say('live.attach', { profile: '\ud800' })).toMatchObject({ code: 'frame_malformed' })
  await phone.write('count 50 100', 'message-1')
  await world.clock.advance(2_000)
  await phone.write('say: later', 'message-2')
  expect(await phone.say('live.queue.edit', { client_msg_id: 'message-2', text: '€'.repeat(600_000) })).toEqual({ code: 'message_too_long' })
})

test('an event that is nested without end ends nothing', async () => {
  let bombs = 0
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const world = await createLeaseWorld({
    rewrite: (direction, text) => {
      const live = direction === 'in' && bombs === 0 ? /"type":"message\.start","session_id":"(\w+)"/.exec(text) : null
      if (!live) return [text]
      bombs += 1
      return [text, `{"jsonrpc":"2.0","method":"event","params":{"type":"tool.start","session_id":"${live[1]}","payload":{"name":"x","args":${deep}}}}`]
    },
  })
  const phone = await world.device()
  await phone.write('say: still here', 'message-1')
  await world.clock.advance(6_000)
  expect([bombs, phone.bubbles]).toEqual([1, ['still here']])
})

test('a conversation that takes a minute to be made is made once', async () => {
  let creates = 0
  const waiting: string[] = []
  const world = await createLeaseWorld({ rewrite: (direction, text) => {
    if (direction === 'out' && text.includes('session.create')) creates += 1
    if (direction === 'in' && text.includes('stored_session_id') && text.includes('"result"') && waiting.length === 0) {
      waiting.push(text)
      return []
    }
    return [text]
  } })
  const phone = await world.device()
  await phone.write('say: slow', 'message-1')
  await world.clock.advance(60_000)
  expect([creates, world.hand.lost]).toEqual([1, 0])
})
