import { expect, test } from 'vitest'
import type { Json } from './player-core.ts'
import { codeOf, createPlayerWorld, resultOf, warmSession } from '#tests/world/player-world.ts'

const contents = (rows: readonly { role: string; content: string }[]) => rows.map((row) => [row.role, row.content])

test('a socket hears gateway.ready first; malformed frames and unknown methods have their codes', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  expect(a.types()).toEqual(['gateway.ready'])
  expect(codeOf(await a.call('client.capabilities'))).toBe(-32601)
  for (const [text, code, id] of [['not json', -32700, null], ['[]', -32600, null], ['{"jsonrpc":"2.0","id":99,"method":"session.list","params":[]}', -32602, 99]] as const) {
    a.send(text)
    await world.clock.advance(2)
    expect([codeOf(a.frames.at(-1)!), a.frames.at(-1)!['id']]).toEqual([code, id])
  }
})

test('unknown ids: 4001 for a live one, 4007 for a stored one, 4006 for none', async () => {
  const a = await createPlayerWorld().client()
  expect(codeOf(await a.call('session.activate', { session_id: 'deadbeef' }))).toBe(4001)
  expect(codeOf(await a.call('prompt.submit', { session_id: 'deadbeef', text: 'x' }))).toBe(4001)
  expect(codeOf(await a.call('session.resume', { session_id: '20200101_000000_ffffff' }))).toBe(4007)
  expect(codeOf(await a.call('session.resume'))).toBe(4006)
})

test('a cold session answers at once, is starting, and has no row until the agent is built', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const made = resultOf(await a.call('session.create', { title: 'Cold' }))
  const storedId = String(made['stored_session_id'])
  expect(world.host.request('GET', `/api/sessions/${storedId}`).status).toBe(404)
  expect(resultOf(await a.call('prompt.submit', { session_id: made['session_id'], text: 'say: hello' }))).toEqual({ status: 'streaming' })
  const [glance] = resultOf(await a.call('session.active_list'))['sessions'] as Json[]
  expect(glance!['status']).toBe('starting')
  await world.clock.advance(600)
  expect(world.host.userRows(storedId)).toEqual([])
  await world.clock.advance(150)
  expect(contents(world.host.userRows(storedId))).toEqual([['user', 'say: hello']])
  expect(a.types().slice(1, 3)).toEqual(['session.info', 'message.start'])
  expect(a.events[1]!.payload['running']).toBe(true)
})

test('a warm session has the user row before the reply, and message.start may precede it', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const from = a.frames.length
  a.post('prompt.submit', { session_id: liveId, text: 'say: again' })
  await world.clock.advance(3)
  expect(world.host.userRows(storedId).at(-1)?.content).toBe('say: again')
  const order = a.frames.slice(from).map((frame) => (frame['result'] ? 'reply' : (frame['params'] as Json)['type']))
  expect(order.indexOf('message.start')).toBeLessThan(order.indexOf('reply'))
})

test('session.info{running:false} follows message.complete a few ms later; an untitled session gets its title', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const made = resultOf(await a.call('session.create'))
  await a.call('prompt.submit', { session_id: made['session_id'], text: 'say: a title please' })
  await world.clock.advance(5_000)
  const complete = a.events.find((event) => event.type === 'message.complete')!
  const idle = a.events.find((event) => event.type === 'session.info' && event.payload['running'] === false)!
  const named = a.events.find((event) => event.type === 'session.title')!
  expect(complete.payload['text']).toBe('a title please')
  expect(idle.atMs - complete.atMs).toBe(8)
  expect(named.atMs - idle.atMs).toBe(300)
  expect(named.payload['session_id']).toBe(made['stored_session_id'])
  expect(named.liveId).toBe(made['session_id'])
})

test.each(['session.activate', 'session.resume', 'prompt.submit'])('%s moves all events to the calling socket, silently', async (method) => {
  const world = createPlayerWorld()
  const [a, b] = [await world.client(), await world.client()]
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'count 50 40' })
  await world.clock.advance(500)
  const seen = a.events.length
  await b.call(method, { session_id: method === 'session.resume' ? storedId : liveId, text: 'say: mine' })
  await world.clock.advance(500)
  expect(a.events.slice(seen).filter((event) => event.atMs > world.clock.now() - 490)).toEqual([])
  expect(b.types(liveId)).toContain('message.delta')
})

test('reads and approval.respond move nothing', async () => {
  const world = createPlayerWorld()
  const [a, b] = [await world.client(), await world.client()]
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'danger' })
  await world.clock.advance(1_000)
  for (const method of ['session.active_list', 'session.history', 'session.usage', 'session.status']) resultOf(await b.call(method, { session_id: liveId }))
  expect(world.host.request('GET', `/api/sessions/${storedId}/messages`).status).toBe(200)
  expect(resultOf(await b.call('approval.respond', { session_id: liveId, choice: 'once' }))).toEqual({ resolved: 1 })
  await world.clock.advance(5_000)
  expect(b.types(liveId)).toEqual([])
  expect(a.types(liveId).at(-2)).toBe('message.complete')
})

test('a turn runs on when its socket dies, and the snapshot plus what follows is the whole text', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'count 40 50' })
  await world.clock.advance(800)
  world.host.dropSocket(a.id)
  await world.clock.advance(500)
  expect(a.closed).toEqual([null])
  const b = await world.client()
  const snapshot = resultOf(await b.call('session.activate', { session_id: liveId }))
  expect(snapshot).toMatchObject({ running: true, status: 'working', session_key: storedId, inflight: { user: 'count 40 50', streaming: true } })
  expect((snapshot['messages'] as Json[]).length).toBe(2) // Not the running turn.
  await world.clock.advance(5_000)
  const tail = b.events.filter((event) => event.type === 'message.delta').map((event) => event.payload['text']).join('')
  const complete = b.events.find((event) => event.type === 'message.complete')!
  expect(String((snapshot['inflight'] as Json)['assistant']) + tail).toBe(complete.payload['text'])
})

test('rows of finished tools and narration are in REST during the turn; inflight is all narration, complete only the last segment', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'chain: one | sleep 5' })
  await world.clock.advance(3_000)
  expect(contents(world.host.rows(storedId)).slice(3).map(([role]) => role)).toEqual(['assistant', 'tool', 'assistant'])
  const snapshot = resultOf(await a.call('session.activate', { session_id: liveId }))
  expect((snapshot['inflight'] as Json)['assistant']).toBe('Step 1: running a command.\n\nStep 2: running a command.')
  await world.clock.advance(10_000)
  expect(a.events.findLast((event) => event.type === 'message.complete')?.payload['text']).toBe('chain finished after 2 calls')
  const deltas = a.events.filter((event) => event.type === 'message.delta').map((event) => String(event.payload['text']))
  expect(deltas.filter((text) => text.startsWith('\n\n')).length).toBe(2)
})

test('a busy prompt is queued, interrupts the running turn and runs after it', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'count 100 50' })
  await world.clock.advance(600)
  expect(resultOf(await a.call('prompt.submit', { session_id: liveId, text: 'say: second', queued: true }))).toEqual({ status: 'queued' })
  await world.clock.advance(3_000)
  const ends = a.events.filter((event) => event.type === 'message.complete').slice(-2).map((event) => event.payload['status'])
  expect(ends).toEqual(['interrupted', 'complete'])
  expect(contents(world.host.rows(storedId)).slice(-2)).toEqual([['user', 'say: second'], ['assistant', 'second']])
})

test('two submits back to back: the second is queued, the first keeps its row and gets no answer', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  a.post('prompt.submit', { session_id: liveId, text: 'say: first' })
  a.post('prompt.submit', { session_id: liveId, text: 'say: second' })
  await world.clock.advance(5_000)
  expect(contents(world.host.rows(storedId)).slice(2)).toEqual([['user', 'say: first'], ['user', 'say: second'], ['assistant', 'second']])
})

test('a submit whose socket dies before the reply still runs', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  a.post('prompt.submit', { session_id: liveId, text: 'say: still here' })
  world.host.dropSocket(a.id)
  await world.clock.advance(5_000)
  expect(contents(world.host.rows(storedId)).slice(-1)).toEqual([['assistant', 'still here']])
})

test('interrupt answers `interrupted` even when idle, drops the queued prompt, and its text may be null', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  expect(resultOf(await a.call('session.interrupt', { session_id: liveId }))).toEqual({ status: 'interrupted' })
  await a.call('prompt.submit', { session_id: liveId, text: 'tool: terminal sleep 20' })
  await world.clock.advance(1_000)
  await a.call('config.set', { key: 'busy', value: 'queue' })
  await a.call('prompt.submit', { session_id: liveId, text: 'say: never' })
  await a.call('session.interrupt', { session_id: liveId })
  await world.clock.advance(2_000)
  expect(a.events.findLast((event) => event.type === 'message.complete')?.payload).toMatchObject({ text: null, status: 'interrupted' })
  expect(contents(world.host.userRows(storedId)).map(([, text]) => text)).not.toContain('say: never')
  expect(world.host.live()[0]?.running).toBe(false)
})

test('steer is delivered with the next tool result, else lost', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'tool: terminal sleep 2' })
  await world.clock.advance(600)
  expect(resultOf(await a.call('session.steer', { session_id: liveId, text: 'be brief' }))).toMatchObject({ status: 'queued' })
  await world.clock.advance(5_000)
  expect(world.host.rows(storedId).find((row) => row.role === 'tool')?.content).toContain('be brief')
  await a.call('prompt.submit', { session_id: liveId, text: 'count 30 40' })
  await a.call('session.steer', { session_id: liveId, text: 'lost words' })
  await world.clock.advance(9_000)
  expect(JSON.stringify(world.host.rows(storedId))).not.toContain('lost words')
})

test('an idle session is gone 20 s after its socket died; a running one stays', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const idle = await warmSession(world, a)
  const busy = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: busy.liveId, text: 'slow 30000' })
  a.close()
  await world.clock.advance(19_000)
  expect(world.host.live().length).toBe(2)
  await world.clock.advance(2_000)
  expect(world.host.live().map((live) => live.liveId)).toEqual([busy.liveId])
  const b = await world.client()
  expect(codeOf(await b.call('session.activate', { session_id: idle.liveId }))).toBe(4001)
  const resumed = resultOf(await b.call('session.resume', { session_id: idle.storedId }))
  expect(resumed['session_id']).not.toBe(idle.liveId)
  expect(resumed).toMatchObject({ resumed: idle.storedId, session_key: idle.storedId, status: 'idle', running: false, inflight: null })
  await world.clock.advance(60_000)
  expect(world.host.live().map((live) => live.liveId)).toContain(busy.liveId) // The timer fires once and does not re-arm.
})

test('kill cuts every socket, loses live sessions, partial answers and questions, and keeps the rows', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  await a.call('prompt.submit', { session_id: liveId, text: 'count 100 50' })
  await world.clock.advance(600)
  world.host.kill()
  await world.clock.advance(100)
  expect(a.closed).toEqual([null])
  expect(contents(world.host.rows(storedId)).at(-1)).toEqual(['user', 'count 100 50'])
  const dead = await world.client()
  expect([dead.closed, dead.frames]).toEqual([[null], []])
  world.host.restart()
  const b = await world.client()
  expect(codeOf(await b.call('session.activate', { session_id: liveId }))).toBe(4001)
  await world.clock.advance(10_000)
  expect(contents(world.host.rows(storedId)).at(-1)).toEqual(['user', 'count 100 50']) // No auto-continue.
})

test('a kill right after the reply of a cold submit loses the prompt', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const made = resultOf(await a.call('session.create', {}))
  await a.call('prompt.submit', { session_id: made['session_id'], text: 'say: lost' })
  world.host.kill()
  world.host.restart()
  await world.clock.advance(5_000)
  expect(world.host.storedIds).toEqual([])
})

test('another program takes the session: events move away, its rows appear', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const seen = a.events.length
  expect(world.host.foreignSubmit(storedId, 'say: theirs')).toBe(true)
  await world.clock.advance(3_000)
  expect(a.events.length).toBe(seen)
  expect(contents(world.host.rows(storedId)).slice(-2)).toEqual([['user', 'say: theirs'], ['assistant', 'theirs']])
  expect(resultOf(await a.call('session.activate', { session_id: liveId }))['running']).toBe(false)
  expect(world.host.submits.filter((submit) => submit.foreign).length).toBe(1)
})

test('RPCs of one socket run one after another, pooled ones beside them', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const activate = a.post('session.activate', { session_id: liveId })
  const usage = a.post('session.history', { session_id: liveId })
  const list = a.post('session.active_list')
  await world.clock.advance(100)
  const order = a.frames.map((frame) => frame['id']).filter((id) => [activate, usage, list].includes(id as number))
  expect(order).toEqual([list, activate, usage])
  expect(world.host.rows(storedId).length).toBe(2)
})

test('the same seed gives the same frames', async () => {
  const play = async () => {
    const world = createPlayerWorld()
    const a = await world.client()
    await warmSession(world, a)
    return JSON.stringify(a.frames)
  }
  expect(await play()).toBe(await play())
})

test('a frame above 16 MiB closes the socket with 1009', async () => {
  const world = createPlayerWorld()
  const a = await world.client()
  a.send(JSON.stringify({ id: 1, method: 'x', params: { text: 'x'.repeat(16 * 1_024 * 1_024) } }))
  await world.clock.advance(1)
  expect(a.closed).toEqual([1009])
})
