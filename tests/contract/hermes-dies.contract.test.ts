/** The process of Hermes is killed in mid-turn and started again on the same port, with another token. */
import { expect, test } from 'vitest'
import { textOf, toolsOf } from './contract-page.ts'
import { useHermes } from './open-hermes.ts'

const world = useHermes({ keep: true })

test('the turn is lost and said so, its message stays one row, and the next message works', async () => {
  const page = world.page()
  await page.turnOf('say: before')
  const prompt = 'script: [{"text":"I begin.","tool":{"name":"terminal","args":{"command":"echo done-before"}}},{"text":"never heard","delay":60000}]'
  page.write(prompt)
  await page.until('the tool to be done', () => toolsOf(page.turn).some((tool) => tool.state === 'done'))
  await page.until('the message to be confirmed', (view) => view.messages.every((m) => m.state === 'confirmed'))
  await world.hermes.killDashboard()
  await page.until('the line to be lost', (view) => view.link === 'down')
  page.write('say: back again')
  await page.until('the message to wait', (view) => view.messages.some((m) => m.text === 'say: back again' && m.state === 'queued'))
  await world.hermes.restartDashboard()
  await page.until('the outcome', (view) => view.outcomes.some((o) => o.prompt === prompt && o.outcome.status === 'lost'))
  expect(textOf(await page.ended('say: back again'))).toBe('back again')
  const { storedId } = page
  expect(await world.relay.userTexts(storedId)).toEqual(['say: before', prompt, 'say: back again'])
  expect(world.relay.transport.calls.filter((call) => call.params['text'] === prompt), 'never sent twice').toHaveLength(1)
  const kinds = page.transcript(await world.relay.rows(storedId)).map((item) => item.kind).filter((kind) => kind !== 'stamp')
  expect(kinds).toEqual(['user', 'turn', 'user', 'turn', 'outcome', 'user', 'turn'])
  world.relay.kill()
  await world.relay.start()
  await page.until('the page to be back', (view) => page.snapshots === 2 && view.link === 'up')
  expect(page.view.outcomes).toMatchObject([{ prompt, outcome: { status: 'lost' } }])
})

test('a new conversation whose first message died with Hermes before it was kept is not doubled', async () => {
  const page = world.page()
  world.relay.transport.loseNext({ method: 'prompt.submit', when: 'after' })
  const clientMsgId = page.write('hang')
  await page.until('the doubt', (view) => view.messages.some((m) => m.clientMsgId === clientMsgId && m.state === 'checking'))
  await world.hermes.killDashboard()
  await world.hermes.restartDashboard()
  await page.until('a verdict, one way or the other', async (view) => {
    const message = view.messages.find((m) => m.clientMsgId === clientMsgId)
    return message === undefined || message.state === 'unconfirmed' || message.state === 'confirmed' || view.turn?.phase === 'running'
  })
  const texts = await page.until('the row, if there is one', async (view) => {
    const found = view.storedId ? await world.relay.userTexts(view.storedId) : []
    return found.length > 0 || view.messages.some((m) => m.state === 'unconfirmed') ? found : null
  })
  expect(texts.length).toBeLessThanOrEqual(1)
  page.say('live.stop')
})
