/** The written scenarios S1-S15 (contract gateway.md 16.2), played through relay and page: the expected client result of each row. */
import { expect, test } from 'vitest'
import { readScenarios } from '#relay/embedded/scenarios.ts'
import { createLeaseWorld, type LeaseWorldOptions } from './world/lease-world.ts'

const scenarios = readScenarios()
const scenario = (name: string) => {
  const found = scenarios.get(name)
  if (!found) throw new Error(`no scenario ${name}`)
  return found
}

/** A world that plays one scenario, and a phone that wrote the first message. */
async function begin(name: string, options: LeaseWorldOptions = {}) {
  const world = await createLeaseWorld({ scenarios: [scenario(name)], ...options })
  const phone = await world.device()
  await phone.write('Q', 'message-1')
  return { world, phone }
}
type World = Awaited<ReturnType<typeof begin>>['world']
const submits = (world: World) => world.host.submits.map((s) => [s.text, s.status])
const stateOf = (world: World, id: string) => world.relay.journal.messages.get(id)?.state

test('S1 an ordinary turn: one bubble, the text once, complete, one submit', async () => {
  const { world, phone } = await begin('s1')
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['Two beds are ready.'])
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(submits(world)).toEqual([['Q', 'streaming']])
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('S2 tool and text in quick change: thinking, one finished tool, the text once and not reordered', async () => {
  const { world, phone } = await begin('s2')
  await world.clock.advance(5_000)
  const blocks = phone.view.turn?.blocks ?? []
  expect(blocks.find((b) => b.kind === 'thinking')).toMatchObject({ text: 'Look at the log.' })
  expect(blocks.filter((b) => b.kind === 'tool')).toEqual([expect.objectContaining({ toolId: 'call_1', state: 'done', result: 'exit 0' })])
  expect(phone.bubbles.join('')).toMatch(/Part one\s*continues\.\s*End\./)
  expect(phone.bubbles.join('').match(/continues/g)).toHaveLength(1)
  // What was written before the tool ended is on the page before it: the merge buffer is flushed first.
  const seen = phone.frames.flatMap((f) => (f.type === 'live.event' && f.payload.event.kind === 'turn' ? [f.payload.event.event] : []))
  expect(seen.findIndex((e) => e.kind === 'text' && e.text.includes('continues'))).toBeLessThan(seen.findIndex((e) => e.kind === 'tool_done'))
})

test('S3 a follow-up waits here and goes out only when the first turn is over; it runs as its own turn', async () => {
  const { world, phone } = await begin('s3')
  await world.clock.advance(760)
  expect(phone.bubbles).toEqual(['A1'])
  await phone.write('second', 'message-2')
  expect(phone.view.messages.find((m) => m.clientMsgId === 'message-2')?.state).toBe('queued')
  expect(submits(world)).toHaveLength(1)
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['A2'])
  expect(submits(world)).toEqual([['Q', 'streaming'], ['second', 'streaming']]) // Never `queued`: a busy submit interrupts (Verified 11).
  const ends = phone.frames.flatMap((f) => (f.type === 'live.event' && f.payload.event.kind === 'turn' && f.payload.event.event.kind === 'ended' ? [f.payload.event.event.text] : []))
  expect(ends).toEqual(['A1', 'A2'])
})

test('S4 events of others and of nobody change nothing: the turn lasts until its own end', async () => {
  const { world, phone } = await begin('s4')
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['mine'])
  expect(JSON.stringify(phone.frames)).not.toMatch(/no-id|other/)
  expect(phone.frames.filter((f) => f.type === 'live.event' && f.payload.event.kind === 'turn' && f.payload.event.event.kind === 'ended')).toHaveLength(1)
})

test('S5 the end is lost with the line: settled by a safe read, nothing submitted twice, the history read', async () => {
  const { world, phone } = await begin('s5')
  await world.clock.advance(10_000)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.bubbles).toEqual(['Saved while offline.'])
  expect(submits(world)).toEqual([['Q', 'streaming']])
  // Idle in the list of live sessions is as authoritative as an activate, and moves nothing (lease.md 1).
  expect(world.calls('session.resume')).toEqual([])
  const stored = phone.view.storedId as string
  expect(phone.view.historyAnchor).toBe(world.host.rows(stored).at(-1)?.id)
})

test('S6 no end at all: the exact idle of session.info settles the turn', async () => {
  const { world, phone } = await begin('s6')
  await world.clock.advance(1_500)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.bubbles).toEqual(['Stored.'])
})

test('S6 the same idle before the turn began changes nothing', async () => {
  const s6 = scenario('s6')
  const idle = { op: 'event' as const, type: 'session.info', scope: 'exact' as const, payload: { running: false } }
  const early = { ...s6, turns: [{ steps: [idle, { op: 'sleep' as const, milliseconds: 300 }, ...(s6.turns[0]?.steps ?? [])] }] }
  const world = await createLeaseWorld({ scenarios: [early] })
  const phone = await world.device()
  await phone.write('Q')
  await world.clock.advance(850)
  expect(phone.view.turn?.phase).toBe('waiting')
  await world.clock.advance(2_000)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.bubbles).toEqual(['Stored.'])
})

test('S7 an approval; an end that comes before its acknowledgement waits for it', async () => {
  const held: string[] = []
  let holding = false
  const { world, phone } = await begin('s7', { rewrite: (direction, text) => {
    if (direction === 'in' && holding && text.includes('"resolved"')) {
      held.push(text)
      return []
    }
    return [text]
  } })
  await world.clock.advance(1_000)
  expect(phone.view.asks).toEqual([expect.objectContaining({ kind: 'approval', command: 'rm -rf ./old-beds', state: 'open' })])
  holding = true
  await phone.say('live.answer', { ask_id: phone.view.asks[0]?.askId, answer: { kind: 'choice', choice: 'once' } })
  await world.clock.advance(1_500)
  expect(phone.bubbles).toEqual(['Cleared.'])
  expect(held).toHaveLength(1)
  expect(phone.view.turn?.phase).toBe('running') // Its end is here, and waits.
  expect(phone.view.asks[0]?.state).toBe('answering')
  world.cutAll() // The acknowledgement is lost for good: the same answer is given again, and Hermes says that nobody waits.
  holding = false
  await world.clock.advance(5_000)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.bubbles).toEqual(['Cleared.'])
  expect(world.calls('approval.respond').map((p) => p['choice'])).toEqual(['once', 'once'])
})

test('S7 the ordinary way: answered once, then the end', async () => {
  const { world, phone } = await begin('s7')
  await world.clock.advance(1_000)
  await phone.say('live.answer', { ask_id: phone.view.asks[0]?.askId, answer: { kind: 'choice', choice: 'once' } })
  await world.clock.advance(3_000)
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.view.asks[0]).toMatchObject({ state: 'answered', answeredBy: 'Phone', answer: 'once' })
  expect(world.calls('approval.respond')).toHaveLength(1)
})

test('S8 generation B: a server request is answered by a response, another is taken back as answered elsewhere', async () => {
  const sent: string[] = []
  const { world, phone } = await begin('s8', { rewrite: (direction, text) => {
    if (direction === 'out') sent.push(text)
    return [text]
  } })
  await world.clock.advance(1_000)
  expect(phone.view.asks).toEqual([expect.objectContaining({ kind: 'approval', command: 'ls ./beds', choices: ['once', 'deny'], state: 'open' })])
  await phone.say('live.answer', { ask_id: phone.view.asks[0]?.askId, answer: { kind: 'choice', choice: 'once' } })
  await world.clock.advance(100)
  expect(sent.map((text) => JSON.parse(text) as { id?: unknown }).filter((f) => f.id === 'srq-0123456789ab')).toEqual([{ jsonrpc: '2.0', id: 'srq-0123456789ab', result: { choice: 'once' } }])
  expect(phone.view.asks[1]).toMatchObject({ command: 'ls ./seeds', state: 'open' })
  await world.clock.advance(3_000)
  expect(phone.view.asks.map((a) => [a.state, a.answeredBy])).toEqual([['answered', 'Phone'], ['answered', 'another program']])
  expect(phone.bubbles).toEqual(['First allowed. Second resolved elsewhere.'])
  expect(phone.view.turn?.outcome?.status).toBe('complete')
})

test('S9 the acknowledgement comes 20 s late: nothing is submitted twice', async () => {
  const { world, phone } = await begin('s9')
  await world.clock.advance(3_000)
  expect(phone.bubbles).toEqual(['Answered before the reply.'])
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  await phone.write('after', 'message-2') // Waits for the acknowledgement: one submit at a time.
  await world.clock.advance(10_000)
  expect(submits(world)).toHaveLength(1)
  await world.clock.advance(20_000)
  expect(submits(world)).toEqual([['Q', 'streaming'], ['after', 'streaming']])
  expect(stateOf(world, 'message-1')).toBe('confirmed')
  expect(world.host.userRows(phone.view.storedId as string).map((r) => r.content)).toEqual(['Q', 'after'])
})

test('S10 no room (4090): the words of Hermes are on the message, nothing falls back, nothing is resent', async () => {
  const { world, phone } = await begin('s10')
  await world.clock.advance(30_000)
  expect(phone.view.messages).toEqual([expect.objectContaining({ clientMsgId: 'message-1', state: 'failed', reason: 'active session limit reached' })])
  expect(submits(world)).toEqual([['Q', 'rejected']])
  expect(phone.view.turn).toBeNull()
  await phone.say('live.resolve', { client_msg_id: 'message-1', verdict: 'send_again' })
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['Now there is room.'])
  expect(stateOf(world, 'message-1')).toBe('confirmed')
})

test('S11 a resume that lands in another profile: nothing is submitted there, and the message says why', async () => {
  const s11 = scenario('s11')
  const world = await createLeaseWorld({ scenarios: [s11] })
  const phone = await world.device(s11.stored as string, 'Phone', 'home')
  await phone.write('Plan more', 'message-1')
  await world.clock.advance(10_000)
  expect(world.calls('session.resume').map((p) => p['profile'])).toEqual(['home'])
  expect(submits(world)).toEqual([])
  expect(phone.view.messages).toEqual([expect.objectContaining({ state: 'failed', reason: expect.stringContaining('somebody-else') as string })])
})

test('S12 reclaimed in mid-turn: the turn ends as lost, its words stay, the stored conversation goes on', async () => {
  const { world, phone } = await begin('s12')
  await world.clock.advance(5_000)
  expect(phone.view.turn?.outcome?.status).toBe('lost')
  expect(phone.bubbles).toEqual(['Half an ans'])
  expect(phone.view.outcomes).toHaveLength(1)
  await phone.write('and now?', 'message-2')
  await world.clock.advance(20_000)
  expect(stateOf(world, 'message-2')).toBe('confirmed')
  expect(world.host.userRows(phone.view.storedId as string)).toHaveLength(2)
})

test('S13 stopped; the late end belongs to the stopped turn, and the next one runs to its own', async () => {
  const { world, phone } = await begin('s13')
  await world.clock.advance(1_000)
  expect(phone.bubbles).toEqual(['Counting sheep'])
  await phone.say('live.stop')
  expect(phone.view.turn?.stopping).toBe(true)
  await phone.write('next', 'message-2')
  await world.clock.advance(800)
  expect(phone.view.turn?.prompt).toBe('next')
  await world.clock.advance(5_000)
  expect(phone.bubbles).toEqual(['A new turn.'])
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(phone.view.outcomes.map((o) => [o.prompt, o.outcome.status])).toEqual([['Q', 'interrupted']])
  expect(world.calls('session.interrupt')).toHaveLength(1)
})

test('S13 an end that is still on its way when the next message was taken does not end its turn', async () => {
  let late: string[] = []
  const { world, phone } = await begin('s13', { rewrite: (direction, text) => {
    if (direction === 'in' && text.includes('"interrupted"') && text.includes('message.complete')) late = [text]
    if (direction === 'in' && late.length > 0 && text.includes('message.start')) return [...late.splice(0), text]
    return [text]
  } })
  await world.clock.advance(1_000)
  await phone.say('live.stop')
  await phone.write('next', 'message-2')
  await world.clock.advance(6_000)
  expect(phone.view.turn).toMatchObject({ prompt: 'next', outcome: { status: 'complete' } })
  expect(phone.bubbles).toEqual(['A new turn.'])
})

test('S14 the agent begins by itself and says so twice: one turn, one bubble', async () => {
  const { world, phone } = await begin('s14')
  await world.clock.advance(10_000)
  expect(phone.bubbles).toEqual(['The beds are watered.'])
  expect(phone.view.turn).toMatchObject({ origin: 'agent', clientMsgId: null, outcome: { status: 'complete' } })
  const begun = phone.frames.flatMap((f) => (f.type === 'live.event' && f.payload.event.kind === 'turn_set' ? [f.payload.event.turn?.turnId] : []))
  expect(new Set(begun).size).toBe(2)
  expect(submits(world)).toHaveLength(1)
})

test('S15 taken over in mid-turn with a queued prompt: the text goes on where it is, then the queued turn runs', async () => {
  const s15 = scenario('s15')
  const world = await createLeaseWorld({ scenarios: [s15] })
  const phone = await world.device(s15.stored as string)
  await world.clock.advance(500)
  expect(phone.view.owner).toBe('elsewhere') // Looking is not attaching.
  expect(world.calls('session.activate')).toEqual([])
  await phone.say('live.takeover')
  await world.clock.advance(500)
  expect(phone.view.turn).toMatchObject({ phase: 'running', prompt: 'Water schedule?' })
  expect(phone.bubbles).toEqual(['Twice a week,'])
  await world.clock.advance(3_000)
  const ended = phone.frames.flatMap((f) => (f.type === 'live.event' && f.payload.event.kind === 'turn' && f.payload.event.event.kind === 'ended' ? [f.payload.event.event.text] : []))
  await world.clock.advance(8_000)
  expect(ended[0]).toBe('Twice a week, mornings.')
  expect(phone.bubbles).toEqual(['Spade, rake.'])
  expect(phone.view.turn?.outcome?.status).toBe('complete')
  expect(submits(world)).toEqual([])
})
