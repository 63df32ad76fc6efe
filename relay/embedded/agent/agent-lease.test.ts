/** The agent below the relay's own lease and live channel: nothing above it knows that it is not a Hermes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import { createLiveChannel } from '#relay/channels/live/live-channel.ts'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import { createJournalRepo } from '#relay/lease/journal-repo.ts'
import { LeaseRegistry } from '#relay/lease/lease-registry.ts'
import { type AttachState, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { type AgentWorld, createAgentWorld, until } from './agent-world.fake.ts'

vi.setConfig({ testTimeout: 20_000 }) // Real processes and lines on a busy machine; nothing here waits for a time.

const DRAFT = 'draft:00000001'
let world: AgentWorld
const stop: (() => void)[] = []
beforeEach(async () => { world = await createAgentWorld() })
afterEach(async () => {
  for (const end of stop.splice(0).reverse()) end()
  await world.end()
})

/** The relay over the agent's transport, as `cli/assemble` puts it together, and one page that follows a conversation. */
async function connect(session = DRAFT) {
  const [clock, chance] = [systemClock, systemChance]
  const registry = new LeaseRegistry({ transport: world.transport, journal: createJournalRepo(world.store.db), clock, chance, onActivity: () => channel.activityChanged(), onLog: () => undefined })
  const channel = createLiveChannel({ registry: () => registry, clock })
  await registry.start()
  let state: AttachState = initialAttach(session)
  const step = (input: Parameters<typeof stepAttach>[1]): void => { [state] = stepAttach(state, input) }
  const handle = channel.open({
    socketId: 's1', deviceId: 'd1', deviceName: 'Phone', supports: { live: 1 }, hasGrant: () => true,
    send: (type, payloadJson) => step({ kind: 'frame', frame: LiveRelayFrame.parse({ type, payload: JSON.parse(payloadJson) }), nowMs: clock.now() }),
  })
  const say = async (type: string, payload: Record<string, unknown> = {}) => (await handle.onFrame({ channel: 'live', type, payload: { session, ...payload } })) ?? undefined
  step({ kind: 'link_up' })
  step({ kind: 'opened' })
  expect(await say('live.attach')).toBeUndefined()
  const view = (): LiveView => state.view
  const close = (): void => {
    registry.close()
    channel.close()
  }
  stop.push(close)
  return {
    view, say, close,
    write: (text: string, id: string) => say('live.submit', { client_msg_id: id, text }),
    ended: (status: string) => until(`the end: ${status}`, () => view().turn?.phase === 'ended' && view().turn?.outcome?.status === status),
    ask: (kind: AskView['kind']) => until(`an open ${kind}`, () => view().asks.find((ask) => ask.kind === kind && ask.state === 'open')),
    text: () => view().turn?.blocks.flatMap((block) => (block.kind === 'text' ? [block.text.trim()] : [])) ?? [],
  }
}

test('a message, an approval, a question, an answer: through the lease to the page and back', async () => {
  const page = await connect()
  world.model.replies.push(
    { think: ['Let me see'], say: ['I run it.'], calls: [{ name: 'terminal', args: { command: 'echo hi > made; cat made' } }] },
    { calls: [{ name: 'clarify', args: { question: 'Keep it?', choices: ['yes', 'no'] } }, { name: 'write_file', args: { path: 'kept.txt', content: 'kept\n' } }] }, { say: ['Kept.'], usage: [200, 20] },
  )
  expect(await page.write('Make a file', 'message-0001')).toBeUndefined()
  const approval = await page.ask('approval')
  expect(approval).toMatchObject({ command: 'echo hi > made; cat made', choices: ['once', 'session', 'deny'] })
  expect(existsSync(join(world.workspace, 'made'))).toBe(false)
  expect(await page.say('live.answer', { ask_id: approval.askId, answer: { kind: 'choice', choice: 'once' } })).toBeUndefined()
  const question = await page.ask('clarify')
  expect(question).toMatchObject({ title: 'Keep it?', choices: ['yes', 'no'] })
  expect(await page.say('live.answer', { ask_id: question.askId, answer: { kind: 'text', text: 'yes' } })).toBeUndefined()
  await page.ended('complete')
  const blocks = page.view().turn?.blocks ?? []
  expect(blocks.map((block) => (block.kind === 'tool' ? `${block.name} ${block.state}` : block.kind))).toEqual(['thinking', 'text', 'terminal done', 'clarify done', 'write_file done', 'text'])
  expect(blocks.find((block) => block.kind === 'tool' && block.name === 'write_file')).toMatchObject({ diff: expect.stringContaining('+kept') })
  expect(page.text()).toEqual(['I run it.', 'Kept.'])
  await until('the title', () => page.view().title === 'Make a file')
  await until('the message to be confirmed', () => page.view().messages.length === 0)
  expect(page.view().info).toMatchObject({ model: 'model-a', cwd: world.workspace, approvalMode: 'manual', yolo: false })
  expect(await world.rows(String(page.view().storedId))).toHaveLength(7)
})

test('a stop, a failure that is run again, and a relay that starts anew', async () => {
  const page = await connect()
  world.model.replies.push({ say: ['Half'], hang: true })
  await page.write('Go', 'message-0001')
  await until('words', () => page.text()[0] === 'Half')
  expect(await page.say('live.stop')).toBeUndefined()
  await page.ended('interrupted')
  world.model.replies.push({ status: 401, body: '{}' })
  await page.write('Again', 'message-0002')
  await page.ended('error')
  expect(page.view().turn?.outcome).toMatchObject({ error: expect.stringContaining('refused the key') })
  const storedId = String(page.view().storedId)
  await until('the message to be confirmed', () => page.view().messages.length === 0)
  world.model.replies.push({ say: ['Now it works.'] })
  expect(await page.say('live.retry', { turn_id: page.view().turn?.turnId, client_msg_id: 'message-0009' })).toBeUndefined()
  await page.ended('complete')
  expect(await page.say('live.configure', { yolo: true, model: 'model-b' })).toBeUndefined()
  world.model.replies.push({ calls: [{ name: 'terminal', args: { command: 'echo unasked' } }] }, { say: ['Without asking.'] })
  await page.write('Faster', 'message-0010') // Settings take effect with the next message.
  await until('its answer', () => page.text().at(-1) === 'Without asking.')
  await until('the settings', () => page.view().info?.yolo === true && page.view().info?.model === 'model-b')
  page.close()
  world.restart()
  const later = await connect(storedId)
  world.model.replies.push({ say: ['Here again.'] })
  await later.write('Still there?', 'message-0003')
  await later.ended('complete')
  expect([later.text(), later.view().info?.yolo, later.view().info?.model]).toEqual([['Here again.'], false, 'model-b'])
  expect((await world.rows(storedId)).map(({ role, content }) => `${role}: ${content}`)).toEqual(['user: Go', 'assistant: Half', 'user: Again', 'assistant: Now it works.', 'user: Faster', 'assistant: ', expect.stringMatching(/^tool: .*unasked/), 'assistant: Without asking.', 'user: Still there?', 'assistant: Here again.'])
})
