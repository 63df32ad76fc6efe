/** The line breaks at each stage of a delivery; conversations vanish; other programs take over; turns are found again. */
import { expect, test } from 'vitest'
import { createLeaseWorld, type LeaseWorld } from '#tests/world/lease-world.ts'

const rowsOf = (world: LeaseWorld, text: string) => world.host.storedIds.flatMap((id) => world.host.userRows(id)).filter((r) => r.content === text)
const sameView = (view: object, other: object): void => expect({ ...view, session: '' }).toEqual({ ...other, session: '' })
const OLD = [{ role: 'user' as const, content: 'old question' }, { role: 'assistant' as const, content: 'old answer', finish_reason: 'stop' }]

/** Cuts the line at the nth frame that matches. */
function cutAt(world: LeaseWorld, direction: 'in' | 'out', pattern: RegExp): { done: boolean } {
  const cut = { done: false }
  world.hand.onFrame = (way, text) => {
    if (cut.done || way !== direction || !pattern.test(text)) return 'pass'
    cut.done = true
    return 'cut'
  }
  return cut
}

const STAGES = [
  ['the create is lost', 'out', /session\.create/], ['the answer of the create is lost', 'in', /"stored_session_id":"[^"]*","?/], ['the submit is lost', 'out', /prompt\.submit/],
  ['the acknowledgement is lost', 'in', /"status":"streaming"/], ['the start is lost', 'in', /message\.start/], ['the first word is lost', 'in', /message\.delta/], ['the end is lost', 'in', /message\.complete/],
] as const

test.each(STAGES)('a first message: %s: one row, confirmed, the whole answer', async (_, direction, pattern) => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  const cut = cutAt(world, direction, pattern)
  await phone.write('say: the answer', 'message-1')
  await world.clock.advance(40_000)
  expect(cut.done).toBe(true)
  expect(rowsOf(world, 'say: the answer')).toHaveLength(1)
  expect(world.relay.journal.messages.get('message-1')).toMatchObject({ state: 'confirmed', rowId: rowsOf(world, 'say: the answer')[0]?.id })
  expect(phone.view.messages).toEqual([])
  expect(phone.view.turn === null || phone.view.turn.phase === 'ended').toBe(true)
  const stored = phone.view.storedId as string
  expect(world.host.rows(stored).at(-1)).toMatchObject({ role: 'assistant', content: 'the answer' })
  expect(phone.view.historyAnchor).toBe(world.host.rows(stored).at(-1)?.id)
  sameView(phone.view, world.lease().view)
})

const LATER = [
  ['the look at the live sessions', 'out', /session\.active_list/], ['the resume', 'out', /session\.resume/], ['the answer of the resume', 'in', /"resumed"/], ['the submit', 'out', /prompt\.submit/],
  ['the acknowledgement', 'in', /"status":"streaming"/], ['a word', 'in', /message\.delta/],
] as const

test.each(LATER)('a message to an old conversation: %s is lost: one row, confirmed', async (_, direction, pattern) => {
  const world = await createLeaseWorld()
  const stored = world.host.seedSession({ rows: OLD })
  const phone = await world.device(stored)
  await world.clock.advance(100)
  const cut = cutAt(world, direction, pattern)
  await phone.write('say: more', 'message-1')
  await world.clock.advance(40_000)
  expect(cut.done).toBe(true)
  expect(world.host.userRows(stored).map((r) => r.content)).toEqual(['old question', 'say: more'])
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
  expect(world.host.rows(stored).at(-1)?.content).toBe('more')
})

test('Hermes dies before the first row: the conversation is made anew, and the message goes through once', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  world.hand.onFrame = (direction, text) => {
    if (direction === 'in' && text.includes('"stored_session_id"') && text.includes('"result"')) world.clock.setTimer(() => world.host.kill(), 0)
    return 'pass'
  }
  await phone.write('say: anew', 'message-1')
  await world.clock.advance(1_000)
  const first = phone.view.storedId
  world.hand.onFrame = () => 'pass'
  world.host.restart()
  await world.clock.advance(60_000)
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
  expect(rowsOf(world, 'say: anew')).toHaveLength(1)
  expect(phone.view.storedId).not.toBe(first)
  expect(phone.bubbles).toEqual(['anew'])
})

test('an existing conversation that Hermes forgot: a visible failure, never a fresh one', async () => {
  const world = await createLeaseWorld()
  const stored = world.host.seedSession({ rows: OLD })
  const phone = await world.device(stored)
  await world.clock.advance(100)
  world.host.request('DELETE', `/api/sessions/${stored}`)
  await phone.write('say: where am I?', 'message-1')
  await world.clock.advance(20_000)
  expect(phone.view.messages).toEqual([expect.objectContaining({ state: 'failed', reason: 'Hermes does not know this conversation any more.' })])
  expect(world.calls('session.create')).toEqual([])
  expect(world.host.submits).toEqual([])
})

test('theft: another program takes the conversation in mid-turn; it is shown as elsewhere and comes back only by a click', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 30 1000', 'message-1')
  await world.clock.advance(4_000)
  const stored = phone.view.storedId as string
  world.host.foreignSubmit(stored, 'chain: sleep 8 | sleep 8 | sleep 8 | sleep 8')
  await world.clock.advance(30_000)
  expect(phone.view).toMatchObject({ owner: 'elsewhere', turn: null })
  await phone.write('say: mine', 'message-2')
  await world.clock.advance(500)
  expect(world.calls('session.activate')).toEqual([])
  expect(phone.view.messages.at(-1)?.state).toBe('queued')
  await phone.say('live.takeover')
  await world.clock.advance(500)
  expect(phone.view).toMatchObject({ owner: 'ours', turn: { phase: 'running', gap: true } })
  expect(phone.view.turn?.blocks.filter((b) => b.kind === 'tool').length).toBeGreaterThan(0)
  expect(world.calls('session.activate')).toHaveLength(1)
  await world.clock.advance(40_000)
  expect(phone.bubbles).toEqual(['mine'])
  expect(world.calls('session.interrupt')).toEqual([])
})

test('rows of a second Hermes process are seen while somebody looks, and nothing is touched', async () => {
  const world = await createLeaseWorld()
  const stored = world.host.seedSession({ rows: OLD })
  const phone = await world.device(stored)
  await world.clock.advance(1_000)
  const before = phone.view.historyRevision
  expect(phone.view.owner).toBe('nobody')
  world.host.foreignRows(stored, [{ role: 'user', content: 'from the desktop' }, { role: 'assistant', content: 'there', finish_reason: 'stop' }])
  await world.clock.advance(11_000)
  expect(phone.view.owner).toBe('elsewhere')
  expect(phone.view.historyRevision).toBeGreaterThan(before)
  expect(phone.view.historyAnchor).toBe(world.host.rows(stored).at(-1)?.id)
  await world.clock.advance(11_000)
  expect(phone.view.owner).toBe('nobody') // Quiet again.
  expect(world.host.calls.filter((c) => ['session.resume', 'session.activate', 'session.create'].includes(c.method))).toEqual([])
})

test('the line comes back in mid-tool: finished tools from the history, the running one stays, and ends once', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('chain: sleep 1 | sleep 6 | sleep 1', 'message-1')
  await world.clock.advance(4_500)
  const tools = () => phone.view.turn?.blocks.flatMap((b) => (b.kind === 'tool' ? [[b.caption ?? b.args, b.state]] : [])) ?? []
  expect(tools().map(([, state]) => state)).toEqual(['done', 'running'])
  world.cutAll()
  await world.clock.advance(1_500)
  expect(phone.view.turn).toMatchObject({ phase: 'running', gap: true })
  expect(tools().map(([, state]) => state)).toEqual(['done', 'running'])
  await world.clock.advance(20_000)
  expect(tools().map(([, state]) => state)).toEqual(['done', 'done', 'done'])
  expect(phone.bubbles.at(-1)).toBe('chain finished after 3 calls')
  expect(phone.view.turn?.outcome?.status).toBe('complete')
})

test('a turn that fails while the line is down is said to be lost, not complete', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: warm', 'message-0')
  await world.clock.advance(5_000)
  cutAt(world, 'in', /lifecycle/)
  await phone.write('error 500', 'message-1')
  await world.clock.advance(20_000)
  expect(phone.view.turn?.outcome?.status).toBe('lost')
  expect(phone.view.outcomes.map((o) => o.prompt)).toEqual(['error 500'])
  expect(world.relay.journal.messages.get('message-1')?.state).toBe('confirmed')
})

test('title and facts of the session reach every device', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('say: hello there', 'message-1')
  await world.clock.advance(5_000)
  expect(phone.view.title).toMatch(/^Demo: /)
  expect(phone.view.info).toMatchObject({ model: 'demo-script', provider: 'demo', approvalMode: 'manual', yolo: false })
  const tablet = await world.device(phone.view.storedId as string, 'Tablet')
  expect([tablet.view.title, tablet.view.info]).toEqual([phone.view.title, phone.view.info])
})

test('a stop that was pressed while the line was down is sent once it is back', async () => {
  const world = await createLeaseWorld()
  const phone = await world.device()
  await phone.write('count 300 100', 'message-1')
  await world.clock.advance(3_000)
  world.hand.onFrame = () => 'cut'
  world.cutAll()
  await world.clock.advance(200)
  expect(await phone.say('live.stop')).toBeUndefined()
  expect(phone.view.turn).toMatchObject({ phase: 'running', stopping: true })
  world.hand.onFrame = () => 'pass'
  await world.clock.advance(20_000)
  expect(world.calls('session.interrupt')).toHaveLength(1)
  expect(phone.view.turn?.outcome?.status).toBe('interrupted')
})

test('a device that comes while something is being written gets what was shown so far, and then each word once', async () => {
  const slow = { name: 'slow', history: [], requires: [], turns: [{ steps: [
    { op: 'reply_delay' as const, milliseconds: 5_000 }, { op: 'event' as const, type: 'message.delta', scope: 'exact' as const, payload: { text: 'once' } }, { op: 'sleep' as const, milliseconds: 3_000 },
    { op: 'event' as const, type: 'message.complete', scope: 'exact' as const, payload: { text: 'once', status: 'complete' } },
  ] }] }
  const world = await createLeaseWorld({ scenarios: [slow] })
  const phone = await world.device()
  const { journal } = world.relay
  const save = journal.saveSession.bind(journal)
  let release: (() => void) | null = null
  await phone.write('Q', 'message-1')
  journal.saveSession = async (session, nowMs) => {
    if (session.running && !release) await new Promise<void>((resolve) => { release = resolve })
    await save(session, nowMs)
  }
  for (let waited = 0; waited < 2_000 && !release; waited += 10) await world.clock.advance(10)
  expect(release).not.toBeNull()
  const tablet = await world.device(phone.view.storedId as string, 'Tablet')
  ;(release as unknown as () => void)()
  await world.clock.advance(100)
  expect(world.lease().view.turn?.blocks).toEqual([{ kind: 'text', text: 'once', sealed: false }])
  sameView(tablet.view, world.lease().view)
  sameView(phone.view, world.lease().view)
})
