/** What happens to the line, to the relay and to other programs while a real Hermes works: no word is lost, none is doubled. */
import { expect, test } from 'vitest'
import { type ContractPage, countTo, textOf, toolsOf } from './contract-page.ts'
import { GatewayProgram } from './gateway-program.ts'
import { useHermes } from './open-hermes.ts'

const world = useHermes()
/** The counting turn streams words: the middle of it. */
const inTheMiddle = (page: ContractPage) => page.until('the middle of the turn', ({ turn }) => turn?.prompt?.startsWith('count') && turn.phase === 'running' && textOf(turn).length > 12)
/** A line that was cut before waits longer each time until it was stable for a while: a new process begins the ladder anew. */
const withNewRelay = async (): Promise<void> => {
  world.relay.kill()
  await world.relay.start()
}
const SUBMITS = ['prompt.submit']
const MOVES = ['session.create', 'session.resume', 'session.activate']

test('stop: the turn is interrupted once, what waits is held until the person says so', async () => {
  const page = world.page()
  page.write('count 200 40')
  await inTheMiddle(page)
  page.write('say: after the stop')
  await page.until('the queue', (view) => view.messages.some((m) => m.state === 'queued'))
  page.say('live.stop')
  const turn = await page.ended('count 200 40')
  expect(turn.outcome?.status).toBe('interrupted')
  expect(countTo(200).startsWith(textOf(turn).trim().slice(0, 12))).toBe(true)
  expect(page.view).toMatchObject({ held: true, messages: [{ text: 'say: after the stop', state: 'queued' }] })
  expect(world.relay.transport.count('session.interrupt')).toBe(1)
  expect(await world.relay.userTexts(page.storedId)).toEqual(['count 200 40'])
  page.say('live.queue.release')
  expect(textOf(await page.ended('say: after the stop'))).toBe('after the stop')
  expect(await world.relay.userTexts(page.storedId)).toEqual(['count 200 40', 'say: after the stop'])
  expect(page.transcript(await world.relay.rows(page.storedId)).map((item) => item.kind).filter((kind) => kind !== 'stamp')).toEqual(['user', 'turn', 'outcome', 'user', 'turn'])
})

test('busy: messages wait in the relay, run in their order, and interrupt nothing', async () => {
  const page = world.page()
  const interrupts = world.relay.transport.count('session.interrupt')
  const submits = world.relay.transport.count(...SUBMITS)
  page.write('count 25 40')
  await inTheMiddle(page)
  page.write('say: second')
  page.write('say: third')
  await page.until('both to wait', (view) => view.messages.filter((m) => m.state === 'queued').length === 2)
  expect(world.relay.transport.count(...SUBMITS) - submits, 'nothing is sent into a running turn').toBe(1)
  expect(textOf(await page.ended('say: third'))).toBe('third')
  const rows = await world.relay.rows(page.storedId)
  expect(rows.map((row) => [row.role, row.content])).toEqual([
    ['user', 'count 25 40'], ['assistant', countTo(25)], ['user', 'say: second'], ['assistant', 'second'], ['user', 'say: third'], ['assistant', 'third'],
  ])
  expect(world.relay.transport.count('session.interrupt')).toBe(interrupts)
})

test('steer: with a later tool call the hint arrives inside its result', async () => {
  const page = world.page()
  page.write('tool: terminal sleep 1')
  await page.until('the tool to run', () => toolsOf(page.turn).some((tool) => tool.state === 'running'))
  page.steer('say it in French')
  await page.until('the hint to be on its way', (view) => view.messages.some((m) => m.text === 'say it in French' && m.state === 'steering'))
  const turn = await page.ended('tool: terminal sleep 1')
  expect(page.view.messages, 'it arrived, so it is not queued again').toEqual([])
  expect(textOf(turn), 'the model reads it in the result of the tool').toMatch(/^tool result: .*say it in French/s)
  expect(await world.relay.userTexts(page.storedId)).toEqual(['tool: terminal sleep 1'])
})

test('steer: without a later tool call Hermes forgets the hint, so it is queued again and becomes a message', async () => {
  const page = world.page()
  page.write('count 25 40')
  await inTheMiddle(page)
  page.steer('say: hinted')
  expect(textOf(await page.ended('say: hinted'))).toBe('hinted')
  expect(await world.relay.userTexts(page.storedId)).toEqual(['count 25 40', 'say: hinted'])
})

test('a second device in mid-turn sees the same, also after the end', async () => {
  const page = world.page()
  page.write('count 60 30')
  await inTheMiddle(page)
  const moves = world.relay.transport.count(...MOVES)
  const second = world.page(page.storedId)
  await second.until('the snapshot', () => second.isLive)
  expect(second.turn).toMatchObject({ prompt: 'count 60 30', phase: 'running' })
  await page.ended('count 60 30')
  await second.ended('count 60 30')
  expect({ ...second.view, session: '' }).toEqual({ ...page.view, session: '' })
  expect(textOf(second.turn)).toBe(countTo(60))
  expect([page.snapshots, second.snapshots]).toEqual([1, 1])
  expect(world.relay.transport.count(...MOVES)).toBe(moves)
})

test('the socket to Hermes dies in mid-turn: every word, and the tool, are there at the end', async () => {
  await withNewRelay()
  const page = world.page()
  await page.turnOf('say: warm')
  const prompt = 'script: [{"text":"First I look.","tool":{"name":"terminal","args":{"command":"echo kept-tool"}}},{"text":"Then I count: one two three four five six seven eight nine ten.","delay":900}]'
  page.write(prompt)
  await page.until('the tool to be done', () => toolsOf(page.turn).some((tool) => tool.state === 'done'))
  await page.loseLine(() => world.relay.transport.cut())
  const turn = await page.ended(prompt)
  expect(turn).toMatchObject({ gap: true, outcome: { status: 'complete' } })
  expect(textOf(turn)).toBe('First I look.\n\nThen I count: one two three four five six seven eight nine ten.')
  expect(toolsOf(turn)).toMatchObject([{ name: 'terminal', state: 'done', result: 'kept-tool' }])
  expect(await world.relay.userTexts(page.storedId)).toEqual(['say: warm', prompt])
})

test.each([[1, 'once'], [3, 'three times']])('the socket dies %i times while words stream: the text is exact', async (cuts) => {
  await withNewRelay()
  const page = world.page()
  const words = cuts === 1 ? 60 : 150
  const prompt = `count ${words} 30`
  page.write(prompt)
  for (let cut = 0; cut < cuts; cut += 1) {
    const seen = textOf(page.turn).length
    await page.until('more words', (view) => textOf(view.turn).length > seen + 12 && view.link === 'up')
    await page.loseLine(() => world.relay.transport.cut())
  }
  const turn = await page.ended(prompt)
  expect(textOf(turn)).toBe(countTo(words))
  expect(await world.relay.userTexts(page.storedId)).toEqual([prompt])
})

test('the relay is killed in mid-turn and started again: the turn is found, its text exact, its message one row', async () => {
  const page = world.page()
  page.write('count 90 30')
  await inTheMiddle(page)
  world.relay.kill()
  await world.relay.start()
  await page.until('the turn to be found again', (view) => page.snapshots === 2 && view.turn?.phase === 'running' && textOf(view.turn).length > 20)
  const turn = await page.ended('count 90 30')
  expect(textOf(turn)).toBe(countTo(90))
  expect(turn.outcome?.status).toBe('complete')
  expect(await world.relay.userTexts(page.storedId)).toEqual(['count 90 30'])
  expect(world.relay.transport.count(...SUBMITS)).toBe(0)
  expect(page.transcript(await world.relay.rows(page.storedId)).filter((item) => item.kind !== 'stamp').map((item) => item.kind)).toEqual(['user', 'turn'])
})

test('the relay is killed, the turn ends without it: the answer is there when it is back', async () => {
  const page = world.page()
  await page.turnOf('say: warm')
  page.write('count 20 30')
  await inTheMiddle(page)
  const { storedId } = page
  const before = page.view.historyRevision
  world.relay.kill()
  const reader = new GatewayProgram(world.hermes)
  await page.until('the turn to end in Hermes', async () => (await reader.statusOf(storedId)) === 'idle')
  reader.close()
  await world.relay.start()
  await page.until('the page to be back', (view) => page.snapshots === 2 && view.historyRevision !== before && view.messages.length === 0)
  const items = page.transcript(await world.relay.rows(storedId)).filter((item) => item.kind !== 'stamp')
  expect(items.map((item) => item.kind)).toEqual(['user', 'turn', 'user', 'turn'])
  expect(textOf(items.at(-1)!)).toBe(countTo(20))
})

test.each(['after', 'before'] as const)('the first message of a conversation, its socket cut right %s it was written: one row, confirmed', async (when) => {
  await withNewRelay()
  const page = world.page()
  const submits = world.relay.transport.count(...SUBMITS)
  world.relay.transport.loseNext({ method: 'prompt.submit', when })
  const clientMsgId = page.write(`say: lost ${when}`)
  await page.until('the doubt', (view) => view.messages.some((m) => m.clientMsgId === clientMsgId && m.state === 'checking'))
  await page.until('the message to be settled', (view) => view.turn?.phase === 'ended' || view.messages.some((m) => m.state === 'unconfirmed' || m.state === 'failed'))
  await page.until('the message to be confirmed', (view) => view.messages.length === 0)
  const rows = await page.until('the answer', async () => {
    const found = await world.relay.rows(page.storedId)
    return found.length >= 2 ? found : null
  })
  expect(rows.map((row) => [row.role, row.content])).toEqual([['user', `say: lost ${when}`], ['assistant', `lost ${when}`]])
  expect(world.relay.transport.count(...SUBMITS) - submits).toBe(when === 'after' ? 1 : 2)
  expect((await world.hermes.modelRequests()).filter((request) => request.lastUser === `say: lost ${when}` && request.tools.length > 0)).toHaveLength(1)
})
