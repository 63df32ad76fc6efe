/** Ordinary turns of a real Hermes through the relay: what the page shows live is what REST tells afterwards (I8). */
import { expect, test } from 'vitest'
import { type ContractPage, countTo, textOf, thoughtOf, toolsOf } from './contract-page.ts'
import { useHermes } from './open-hermes.ts'

const world = useHermes()

/** Nothing is left over, and a reload shows the same words, thoughts and tools. */
async function expectSettled(page: ContractPage, prompts: readonly string[]): Promise<void> {
  const turn = page.turn!
  expect(world.relay.registry.find(page.session, null)?.unknownFacts, 'every event of Hermes is known').toBe(0)
  expect(page.view).toMatchObject({ owner: 'ours', link: 'up', messages: [], held: false })
  const rows = await page.until('the rows of the turn', async () => {
    const found = await world.relay.rows(page.storedId)
    return found.at(-1)?.role === 'assistant' && page.view.historyAnchor === found.at(-1)?.id ? found : null
  })
  expect(await world.relay.userTexts(page.storedId)).toEqual(prompts)
  const stored = page.transcript(rows).filter((item) => item.kind === 'turn').at(-1)!
  expect(stored.live, 'the rows have taken the place of the live turn').toBeNull()
  expect([textOf(stored), thoughtOf(stored)]).toEqual([textOf(turn), thoughtOf(turn)])
  expect(toolsOf(stored).map((tool) => [tool.toolId, tool.name, tool.state, tool.result])).toEqual(toolsOf(turn).map((tool) => [tool.toolId, tool.name, tool.state, tool.result]))
}

test('the first turn of a new conversation, then a second one', async () => {
  const page = world.page()
  const submits = world.relay.transport.count('prompt.submit')
  const cold = await page.turnOf('say: hello from the model')
  expect(cold).toMatchObject({ origin: 'ours', phase: 'ended', gap: false, outcome: { status: 'complete', error: null } })
  expect(textOf(cold)).toBe('hello from the model')
  await expectSettled(page, ['say: hello from the model'])
  const warm = await page.turnOf('count 30 10')
  expect(textOf(warm)).toBe(countTo(30))
  await expectSettled(page, ['say: hello from the model', 'count 30 10'])
  expect(world.relay.transport.count('prompt.submit') - submits).toBe(2)
  expect(page.view.info?.model).toBe('stub-echo')
  await page.until('the title that Hermes makes', (view) => view.title)
})

test('reasoning is shown as thought, the spinner is not', async () => {
  const page = world.page()
  const turn = await page.turnOf('think: first I look, then I leap')
  expect(textOf(turn)).toBe('thought answer')
  expect(thoughtOf(turn)).toBe('first I look, then I leap')
  await expectSettled(page, ['think: first I look, then I leap'])
})

test('a tool, several in parallel, and a chain with words between', async () => {
  const page = world.page()
  const one = await page.turnOf('tool: terminal echo contract-one')
  expect(toolsOf(one)).toMatchObject([{ name: 'terminal', state: 'done', identified: true, result: 'contract-one', blocked: false }])
  expect(textOf(one)).toMatch(/^tool result: .*contract-one/)
  const three = await page.turnOf('para: echo a1 | echo b2 | echo c3')
  expect(toolsOf(three).map((tool) => [tool.state, tool.result])).toEqual([['done', 'a1'], ['done', 'b2'], ['done', 'c3']])
  expect(textOf(three)).toBe('tool results: 3')
  const chain = await page.turnOf('chain: echo d4 | echo e5')
  expect(chain.blocks.map((block) => block.kind)).toEqual(['text', 'tool', 'text', 'tool', 'text'])
  expect(textOf(chain)).toBe('Step 1: running a command.\n\nStep 2: running a command.\n\nchain finished after 2 calls')
  await expectSettled(page, ['tool: terminal echo contract-one', 'para: echo a1 | echo b2 | echo c3', 'chain: echo d4 | echo e5'])
})

test('an error of the model is an outcome, and outlives the relay', async () => {
  const page = world.page()
  const turn = await page.turnOf('error 500')
  expect(turn.outcome).toMatchObject({ status: 'error', error: expect.stringMatching(/500/) })
  expect(page.view.outcomes).toHaveLength(1)
  await page.until('the place of the outcome', (view) => view.outcomes[0]?.afterRowId !== null)
  const shown = page.view.outcomes
  world.relay.kill()
  await world.relay.start()
  await page.until('the page to be back', (view) => page.isLive && view.link === 'up' && page.snapshots === 2)
  expect(page.view.outcomes).toEqual(shown)
  const rows = await world.relay.rows(page.storedId)
  expect(page.transcript(rows).map((item) => item.kind).filter((kind) => kind !== 'stamp')).toEqual(['user', 'outcome'])
  expect(textOf(await page.turnOf('say: better now'))).toBe('better now')
  expect(await world.relay.userTexts(page.storedId)).toEqual(['error 500', 'say: better now'])
})

test('a conversation that was closed in Hermes is resumed by the next message, with its context', async () => {
  const page = world.page()
  await page.turnOf('say: before the close')
  const before = world.relay.transport.count('session.resume')
  const liveId = world.relay.registry.find(page.session, null)!.liveId!
  expect(await world.relay.registry.link.call('session.close', { session_id: liveId })).toMatchObject({ kind: 'ok' })
  expect(textOf(await page.turnOf('say: after the close'))).toBe('after the close')
  expect(world.relay.transport.count('session.resume') - before).toBe(1)
  await expectSettled(page, ['say: before the close', 'say: after the close'])
})

test('list, rename, delete; a title may be there once only', async () => {
  const page = world.page()
  page.write('say: to be listed', { title: 'Contract list' })
  await page.ended('say: to be listed')
  const { storedId } = page
  const row = (await world.relay.list()).find((session) => session.sessionId === storedId)
  expect(row).toMatchObject({ title: 'Contract list', source: 'webui' })
  expect((await world.relay.rest('PATCH', `/api/sessions/${storedId}`, { title: 'Contract renamed' })).status).toBe(200)
  expect((await world.relay.list()).find((session) => session.sessionId === storedId)?.title).toBe('Contract renamed')
  const other = world.page()
  await other.turnOf('say: another one')
  expect((await world.relay.rest('PATCH', `/api/sessions/${other.storedId}`, { title: 'Contract renamed' })).status).toBe(400)
  expect((await world.relay.rest('DELETE', `/api/sessions/${storedId}`)).status).toBe(200)
  expect((await world.relay.list()).some((session) => session.sessionId === storedId)).toBe(false)
  expect((await world.relay.rest('GET', `/api/sessions/${storedId}/messages`)).status).toBe(404)
})

test('a long history is read from its end, and a turn is added to it', async () => {
  const messages = Array.from({ length: 1_240 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `row ${index}`, timestamp: 1_796_000_000 + index }))
  const imported = await world.relay.rest('POST', '/api/sessions/import', { sessions: [{ id: 'contract_long', source: 'webui', title: 'Contract long', started_at: 1_796_000_000, message_count: messages.length, messages }] })
  expect(imported).toMatchObject({ status: 200 })
  expect(await world.relay.rows('contract_long')).toHaveLength(1_240)
  const page = world.page('contract_long')
  expect(textOf(await page.turnOf('say: one more'))).toBe('one more')
  const texts = await world.relay.userTexts('contract_long')
  expect(texts).toHaveLength(621)
  expect(texts.at(-1)).toBe('say: one more')
  const reads = world.relay.transport.requests.filter((request) => request.path.includes('contract_long/messages') && request.path.includes('order=oldest'))
  expect(reads.every((read) => Number(/offset=(\d+)/.exec(read.path)?.[1]) >= 1_000), 'the lease never reads from the beginning').toBe(true)
})

test('looking at conversations asks Hermes for nothing that moves or makes a session', async () => {
  const writer = world.page()
  await writer.turnOf('say: look at me')
  writer.close()
  const { storedId } = writer
  world.relay.kill()
  await world.relay.start()
  const looking = [world.page(storedId), world.page(storedId), world.page('contract_long')]
  for (const page of looking) await page.until('the first look', (view) => page.isLive && view.historyAnchor)
  const unfinishedDraft = world.page()
  await unfinishedDraft.until('the empty page', () => unfinishedDraft.isLive)
  expect(new Set(world.relay.transport.calls.map((call) => call.method))).toEqual(new Set(['client.capabilities', 'session.active_list']))
  expect(looking[0]!.view).toMatchObject({ turn: null, messages: [] })
  expect(looking[0]!.view.owner).not.toBe('ours')
})
