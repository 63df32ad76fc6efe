/** A failed turn that is run again stands once in the history of a real Hermes, and what was before it stays. */
import { expect, test } from 'vitest'
import { systemChance } from '#relay/clock/clock.ts'
import { useHermes } from './open-hermes.ts'

const world = useHermes()

test('the words of a failed turn stand once, after one retry and after another', async () => {
  const page = world.page()
  await page.turnOf('say: before it')
  const failed = await page.turnOf('error 500')
  expect(failed.outcome?.status).toBe('error')
  let last = failed.turnId
  for (let n = 0; n < 2; n += 1) {
    page.say('live.retry', { turn_id: last, client_msg_id: systemChance.uuid() })
    const again = await page.until('the turn to have run again', ({ turn, messages }) => (turn && turn.turnId !== last && turn.phase === 'ended' && messages.length === 0 ? turn : null))
    expect(again).toMatchObject({ prompt: 'error 500', outcome: { status: 'error' } })
    expect(await world.relay.userTexts(page.storedId)).toEqual(['say: before it', 'error 500'])
    expect(page.view.outcomes).toHaveLength(1)
    last = again.turnId
  }
  const rows = await world.relay.rows(page.storedId)
  const shown = page.transcript(rows)
  expect(shown.filter((item) => item.kind === 'user').map((item) => item.text)).toEqual(['say: before it', 'error 500'])
  await page.turnOf('say: and after it')
  expect(await world.relay.userTexts(page.storedId)).toEqual(['say: before it', 'error 500', 'say: and after it'])
})

test('the very first turn can be run again too', async () => {
  const page = world.page()
  const failed = await page.turnOf('error 401')
  page.say('live.retry', { turn_id: failed.turnId, client_msg_id: systemChance.uuid() })
  await page.until('the turn to have run again', ({ turn, messages }) => turn && turn.turnId !== failed.turnId && turn.phase === 'ended' && messages.length === 0)
  expect(await world.relay.userTexts(page.storedId)).toEqual(['error 401'])
})

test('a turn that did not fail, or is not the last one, is not run again', async () => {
  const page = world.page()
  const fine = await page.turnOf('say: fine')
  page.say('live.retry', { turn_id: fine.turnId, client_msg_id: systemChance.uuid() })
  await page.until('the refusal', () => page.refusals.includes('turn_not_retryable'))
  expect(await world.relay.userTexts(page.storedId)).toEqual(['say: fine'])
})

test('another model is taken with the next message, and said to be wanted until then', async () => {
  const page = world.page()
  await page.turnOf('say: with the first model')
  expect(page.view.info?.model).toBe('stub-echo')
  page.say('live.configure', { model: 'stub-alt', provider: 'custom:stub' })
  await page.until('the wish', (view) => view.wanted?.model === 'stub-alt')
  await page.turnOf('say: with the other one')
  await page.until('the other model', (view) => view.info?.model === 'stub-alt' && view.wanted === null)
  page.say('live.configure', { yolo: true })
  await page.turnOf('danger 1')
  expect(page.view.info?.yolo).toBe(true)
  page.say('live.configure', { yolo: false })
  page.write('danger 2')
  const ask = await page.ask('approval')
  page.answer(ask, { kind: 'choice', choice: 'deny' })
  await page.ended('danger 2')
})
