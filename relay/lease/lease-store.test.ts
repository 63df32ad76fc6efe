/** A journal that cannot be written: nothing is acknowledged, nothing is sent, nothing hangs, and pages see what the lease sees. */
import { expect, test } from 'vitest'
import { createLeaseWorld, DRAFT } from '#tests/world/lease-world.ts'

const full = Object.assign(new Error('database or disk is full'), { errcode: 13 }) // As SQLite says it.
const sameView = (view: object, other: object): void => expect({ ...view, session: '' }).toEqual({ ...other, session: '' })

test('a message that cannot be written down is refused with a code, and nothing is sent', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  world.relay.journal.failWith = full
  expect(await phone.write('say: lost?')).toEqual({ code: 'store_full' })
  world.relay.journal.failWith = new Error('no such table')
  expect(await phone.write('say: lost?')).toEqual({ code: 'store_failed' })
  await world.clock.advance(5_000)
  expect(world.host.submits).toEqual([])
  expect(phone.view.messages).toEqual([])
  world.relay.journal.failWith = null
  expect(await phone.write('say: kept', 'message-9')).toBeUndefined()
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['kept'])
})

test('the disk fills up between acceptance and submit: not sent, failed with its code, sent when the person says so', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-1')
  await world.clock.advance(5_000)
  await phone.write('count 20 100', 'message-2')
  await world.clock.advance(500)
  await phone.write('say: second', 'message-3') // Waits for the turn.
  world.relay.journal.failWith = full
  await world.clock.advance(10_000)
  expect(world.host.submits.map((s) => s.text)).toEqual(['say: warm', 'count 20 100'])
  expect(phone.view.messages.find((m) => m.clientMsgId === 'message-3')).toMatchObject({ state: 'failed', reason: 'store_full' })
  expect(phone.view.turn).toMatchObject({ phase: 'ended', outcome: { status: 'complete' } })
  sameView(phone.view, world.lease().view)
  world.relay.journal.failWith = null
  expect(await phone.say('live.resolve', { client_msg_id: 'message-3', verdict: 'send_again' })).toBeUndefined()
  await world.clock.advance(10_000)
  expect(phone.bubbles).toEqual(['second'])
  expect(world.relay.journal.messages.get('message-3')?.state).toBe('confirmed')
})

test('a write that fails while the submit is on its way does not call it failed: it is confirmed by its row', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-1')
  await world.clock.advance(5_000)
  await phone.write('count 30 50', 'message-2')
  let submitted = false
  world.hand.onFrame = (direction, text) => {
    if (direction === 'out' && text.includes('prompt.submit')) {
      submitted = true
      world.relay.journal.failWith = full
    }
    return 'pass'
  }
  await world.clock.advance(1_000)
  expect(submitted).toBe(true)
  expect(phone.view.messages.some((m) => m.state === 'failed')).toBe(false)
  expect(phone.view.turn).toMatchObject({ clientMsgId: 'message-2', phase: 'running' })
  sameView(phone.view, world.lease().view)
  world.relay.journal.failWith = null
  await world.clock.advance(10_000)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(world.host.submits).toHaveLength(2)
  expect(phone.view.messages).toEqual([])
  sameView(phone.view, world.lease().view)
})

test('a command whose own write fails is refused and taken back: nothing was changed', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('danger 1', 'message-1')
  await world.clock.advance(3_000)
  await phone.write('say: old', 'message-2')
  const askId = phone.view.asks[0]?.askId
  world.relay.journal.failWith = full
  expect(await phone.say('live.queue.edit', { client_msg_id: 'message-2', text: 'say: new' })).toEqual({ code: 'store_full' })
  expect(await phone.say('live.queue.remove', { client_msg_id: 'message-2' })).toEqual({ code: 'store_full' })
  expect(await phone.say('live.answer', { ask_id: askId, answer: { kind: 'choice', choice: 'once' } })).toEqual({ code: 'store_full' })
  expect(world.lease().view.messages.find((m) => m.clientMsgId === 'message-2')).toMatchObject({ text: 'say: old', state: 'queued' })
  expect(world.lease().view.asks[0]?.state).toBe('open')
  expect(world.calls('approval.respond')).toEqual([])
  sameView(phone.view, world.lease().view)
  world.relay.journal.failWith = null
  expect(await phone.say('live.answer', { ask_id: askId, answer: { kind: 'choice', choice: 'once' } })).toBeUndefined()
  await world.clock.advance(10_000)
  expect(phone.bubbles).toEqual(['old'])
})

test('a stop goes through although it cannot be written down', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 200 100', 'message-1')
  await world.clock.advance(3_000)
  await phone.write('say: later', 'message-2')
  world.relay.journal.failWith = full
  expect(await phone.say('live.stop')).toBeUndefined()
  await world.clock.advance(2_000)
  expect(world.calls('session.interrupt')).toHaveLength(1)
  expect(phone.view).toMatchObject({ held: true, turn: { outcome: { status: 'interrupted' } } })
  sameView(phone.view, world.lease().view)
})

test('the new conversation could not be written down: it is, before anything is submitted to it', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  world.hand.onFrame = (direction, text) => {
    if (direction === 'in' && text.includes('stored_session_id') && text.includes('"result"')) world.relay.journal.failWith = full
    return 'pass'
  }
  const advanceTo = async (): Promise<void> => {
    for (let i = 0; i < 200 && world.relay.journal.failWith === null; i += 1) await world.clock.advance(1)
  }
  await phone.write('say: first', 'message-1')
  await advanceTo()
  expect(world.relay.journal.failWith).toBe(full)
  world.relay.journal.failWith = null
  world.hand.onFrame = (direction, text) => {
    if (direction === 'out' && text.includes('prompt.submit')) world.relay.kill()
    return 'pass'
  }
  await world.clock.advance(2_000)
  world.hand.onFrame = () => 'pass'
  await world.relay.start()
  await world.clock.advance(10_000)
  const again = await world.device(DRAFT)
  expect(again.view.storedId).not.toBeNull()
  expect(world.host.storedIds.flatMap((id) => world.host.userRows(id)).map((r) => r.content)).toEqual(['say: first'])
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
})
