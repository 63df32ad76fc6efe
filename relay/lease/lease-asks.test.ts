/** Questions of the agent: one answer, once; late ones, lost ones, secret ones. */
import { expect, test } from 'vitest'
import { OVERDUE_LOOK_MS } from './lease-asks.ts'
import { createLeaseWorld, type LeaseWorldOptions } from '#tests/world/lease-world.ts'

async function asked(prompt: string, options: LeaseWorldOptions = {}) {
  const world = await createLeaseWorld(options)
  const phone = await world.device()
  await phone.write(prompt, 'message-1')
  await world.clock.advance(3_000)
  const askId = phone.view.asks[0]?.askId as string
  expect(phone.view.asks[0]?.state).toBe('open')
  return { world, phone, askId, answer: (answer: object, id = askId) => phone.say('live.answer', { ask_id: id, answer }) }
}
const choice = (word: string) => ({ kind: 'choice', choice: word })

test('past its estimated deadline a question is overdue, and still answered when Hermes waits longer', async () => {
  const { world, phone, answer } = await asked('danger 1', { rewrite: (_, text) => [text] })
  world.host.request('PUT', '/api/config', { config: { approvals: { timeout: 600 } } })
  await phone.write('danger 2', 'message-2')
  await world.clock.advance(70_000)
  await world.clock.advance(5_000)
  const [first, second] = phone.view.asks
  expect(first?.state).toBe('expired') // It was raised with the old wait; its blocked tool is the evidence.
  expect(second).toMatchObject({ state: 'open' })
  await world.clock.advance(60_000)
  expect(phone.view.asks[1]?.state).toBe('overdue')
  expect(await answer(choice('once'), second?.askId)).toBeUndefined()
  await world.clock.advance(5_000)
  expect(phone.view.asks[1]).toMatchObject({ state: 'answered', answer: 'once' })
})

test('a blocked tool is the evidence that nobody waits; an answer after it is refused', async () => {
  const { world, phone, answer } = await asked('danger 1')
  await world.clock.advance(70_000)
  expect(phone.view.asks[0]?.state).toBe('expired')
  expect(await answer(choice('once'))).toEqual({ code: 'ask_expired' })
  expect(world.calls('approval.respond')).toEqual([])
})

test('the line dies under the answer: the same answer again, whatever another device wants by then', async () => {
  const { world, phone, askId, answer } = await asked('ask Which?|red|blue')
  const sent: string[] = []
  world.hand.onFrame = (direction, text) => {
    if (direction !== 'out' || !text.includes('clarify.respond')) return 'pass'
    sent.push(JSON.stringify((JSON.parse(text) as { params: unknown }).params))
    return sent.length === 1 ? 'cut' : 'pass'
  }
  const tablet = await world.device(phone.view.storedId as string, 'Tablet')
  expect(await answer(choice('blue'))).toBeUndefined()
  expect(await tablet.say('live.answer', { ask_id: askId, answer: choice('red') })).toEqual({ code: 'ask_already_answered', detail: { by: 'Phone', answer: 'blue' } })
  await world.clock.advance(10_000)
  expect(sent).toHaveLength(2)
  expect(new Set(sent).size).toBe(1)
  expect(tablet.view.asks[0]).toMatchObject({ state: 'answered', answeredBy: 'Phone', answer: 'blue' })
  expect(phone.bubbles.at(-1)).toContain('blue')
})

test('an answer that was given while the line was down goes out when it is back', async () => {
  const { world, phone, answer } = await asked('ask Which?|red|blue')
  world.hand.onFrame = () => 'cut'
  world.cutAll()
  await world.clock.advance(10)
  expect(phone.view.link).toBe('down')
  expect(await answer(choice('red'))).toBeUndefined()
  expect(phone.view.asks[0]?.state).toBe('answering')
  world.hand.onFrame = () => 'pass'
  await world.clock.advance(20_000)
  expect(phone.view.asks[0]?.state).toBe('answered')
  expect(world.calls('clarify.respond')).toHaveLength(1)
})

test('only what was offered is an answer', async () => {
  const { answer } = await asked('danger 1')
  expect(await answer(choice('approve'))).toEqual({ code: 'answer_malformed' })
  expect(await answer({ kind: 'text', text: 'once' })).toEqual({ code: 'answer_malformed' })
  expect(await answer({ kind: 'value', value: 'once' })).toEqual({ code: 'answer_malformed' })
  const open = await asked('ask-open Name?')
  expect(await open.answer({ kind: 'text', text: ' ' })).toEqual({ code: 'answer_malformed' })
  expect(await open.answer({ kind: 'text', text: 'Ada' })).toBeUndefined()
})

test.each([['secret', 'given'], ['sudo', 'given']])('%s: the value reaches Hermes and is nowhere else', async (prompt, shown) => {
  const { world, phone, answer } = await asked(prompt)
  expect(await answer(choice('once'))).toEqual({ code: 'answer_malformed' })
  expect(await answer({ kind: 'value', value: 'canary-4711' })).toBeUndefined()
  await world.clock.advance(5_000)
  expect(world.calls(`${prompt}.respond`)).toEqual([expect.objectContaining({ [prompt === 'sudo' ? 'password' : 'value']: 'canary-4711' })])
  expect(phone.view.asks[0]).toMatchObject({ state: 'answered', answer: shown })
  expect(JSON.stringify([[...world.relay.journal.asks.values()], [...world.relay.journal.messages.values()], phone.frames, world.relay.log, world.lease().view])).not.toContain('canary')
})

test('a secret on its way when the relay dies is asked for again: it was never written down', async () => {
  const { world, phone, answer } = await asked('secret')
  world.hand.onFrame = (direction, text) => (direction === 'out' && text.includes('secret.respond') ? 'cut' : 'pass')
  expect(await answer({ kind: 'value', value: 'canary-4711' })).toBeUndefined()
  world.relay.kill()
  world.hand.onFrame = () => 'pass'
  await world.relay.start()
  await world.clock.advance(2_000)
  const again = await world.device(phone.view.storedId as string)
  expect(again.view.asks[0]).toMatchObject({ state: 'open', answeredBy: null, answer: null })
  await again.say('live.answer', { ask_id: again.view.asks[0]?.askId, answer: { kind: 'value', value: '' } })
  await world.clock.advance(5_000)
  expect(again.view.asks[0]).toMatchObject({ state: 'answered', answer: 'declined' })
})

test('a device that lets Hermes wait 30 minutes sees it at once: the next deadline is that far away', async () => {
  const { world, phone } = await asked('danger 1')
  const [first] = phone.view.asks
  expect((first?.deadlineAtMs ?? 0) - (first?.raisedAtMs ?? 0)).toBe(60_000)
  world.host.request('PUT', '/api/config', { config: { approvals: { timeout: 1_800 } } })
  const learned = world.relay.registry.learnAskWait() // What the ingress calls after the change.
  await world.clock.advance(10)
  await learned
  await phone.say('live.answer', { ask_id: first?.askId, answer: choice('once') })
  await phone.write('danger 2', 'message-2')
  await world.clock.advance(8_000)
  const second = phone.view.asks[1]
  expect((second?.deadlineAtMs ?? 0) - (second?.raisedAtMs ?? 0)).toBe(1_800_000)
  const tablet = await world.device('draft:00000002', 'Tablet') // Also in a conversation that is opened later.
  await tablet.write('danger 3', 'message-3')
  await world.clock.advance(5_000)
  expect((tablet.view.asks[0]?.deadlineAtMs ?? 0) - (tablet.view.asks[0]?.raisedAtMs ?? 0)).toBe(1_800_000)
})

test('a question whose turn ended without a word about it is closed by a look, though no page is there to look', async () => {
  const { world, phone } = await asked('danger 1', { rewrite: (direction, text) => (direction === 'in' && /"type":"(?:session.info|tool.complete)"/.test(text) ? [] : [text]) })
  const lease = world.relay.registry.find(phone.view.storedId as string, null)
  phone.close()
  await world.clock.advance(75_000)
  expect(lease?.view).toMatchObject({ turn: { phase: 'ended' }, asks: [{ state: 'overdue' }] })
  await world.clock.advance(OVERDUE_LOOK_MS)
  expect(lease?.view.asks[0]?.state).toBe('expired')
  expect(lease?.quietSinceMs).not.toBeNull()
})

test('what was asked while the relay was away can be denied, never allowed', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('chain: sleep 2 | rm x', 'message-0')
  await world.clock.advance(9_000)
  await phone.write('danger 1', 'message-1')
  await world.clock.advance(120)
  const stored = phone.view.storedId as string
  world.relay.kill()
  await world.clock.advance(5_000)
  expect(world.host.live()).toMatchObject([{ ask: 'approval' }])
  await world.relay.start()
  const again = await world.device(stored)
  await world.clock.advance(20_000)
  expect(again.view.asks).toMatchObject([{ kind: 'approval', state: 'open', command: null, choices: ['deny'] }])
  const askId = again.view.asks[0]?.askId
  expect(await again.say('live.answer', { ask_id: askId, answer: choice('once') })).toEqual({ code: 'answer_malformed' })
  expect(await again.say('live.answer', { ask_id: askId, answer: choice('deny') })).toBeUndefined()
  await world.clock.advance(5_000)
  expect(again.view).toMatchObject({ asks: [{ state: 'answered', answer: 'deny' }], turn: { phase: 'ended' } })
})
