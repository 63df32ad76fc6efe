/** Another program on the host uses the same conversation: noticed by safe reads, never fought over, taken over by a click. */
import { describe, test } from 'vitest'
import { type ContractPage, countTo, textOf, toolsOf } from './contract-page.ts'
import { GatewayProgram } from './gateway-program.ts'
import { useHermes } from './open-hermes.ts'

const world = useHermes()
const MOVES = ['session.create', 'session.resume', 'session.activate']

/** Both wait long for signs of the other program, so they wait together. */
describe.concurrent('another program', () => {
  /** Calls that move the events of this conversation. */
  const movesOf = (page: ContractPage, liveId: string): number =>
    world.relay.transport.calls.filter(({ method, params }) => MOVES.includes(method) && [page.storedId, liveId].includes(String(params['session_id']))).length

  test('uses the conversation: said so, never stolen back, taken over by a click', async ({ expect }) => {
    const page = world.relay.page() // Not of the file: its pages are closed when any test ends.
    await page.turnOf('say: ours')
    const foreign = new GatewayProgram(world.hermes)
    const liveId = await foreign.liveIdOf(page.storedId)
    await foreign.call('prompt.submit', { session_id: liveId, text: 'count 800 40' })
    const moves = movesOf(page, liveId)
    await page.until('the other program to be noticed', (view) => view.owner === 'elsewhere')
    expect(movesOf(page, liveId)).toBe(moves)
    page.say('live.takeover')
    await page.until('the conversation to be ours', (view) => view.owner === 'ours' && view.turn?.phase === 'running')
    expect(movesOf(page, liveId) - moves).toBe(1)
    foreign.close()
    const taken = textOf(page.turn)
    await page.until('more words', (view) => textOf(view.turn).length > taken.length + 12)
    expect(countTo(800).startsWith(textOf(page.turn))).toBe(true)
    page.say('live.stop')
    await page.until('the end', ({ turn }) => turn?.outcome?.status === 'interrupted')
    expect(textOf(await page.turnOf('say: ours again'))).toBe('ours again')
    expect(await world.relay.userTexts(page.storedId)).toEqual(['say: ours', 'count 800 40', 'say: ours again'])
    page.close()
  })

  test('takes a running turn: its words are missed, never invented, and the history is whole', async ({ expect }) => {
    const page = world.relay.page() // Not of the file: its pages are closed when any test ends.
    await page.turnOf('say: mine')
    const prompt = 'chain: sleep 6 | sleep 6 | sleep 6'
    page.write(prompt)
    await page.until('the first tool to run', () => toolsOf(page.turn).length === 1)
    const foreign = new GatewayProgram(world.hermes)
    const liveId = await foreign.liveIdOf(page.storedId)
    await foreign.call('session.activate', { session_id: liveId })
    const moves = movesOf(page, liveId)
    await page.until('the theft to be noticed', (view) => view.owner === 'elsewhere')
    expect(movesOf(page, liveId), 'never back by itself').toBe(moves)
    page.say('live.takeover')
    await page.until('the conversation to be ours again', (view) => view.owner === 'ours')
    expect(movesOf(page, liveId) - moves).toBe(1)
    foreign.close()
    await page.until('the end', ({ turn, owner }) => owner === 'ours' && turn?.phase === 'ended')
    const rows = await page.until('the last row', async () => {
      const found = await world.relay.rows(page.storedId)
      return found.at(-1)?.content === 'chain finished after 3 calls' ? found : null
    })
    expect(rows.filter((row) => row.role === 'tool')).toHaveLength(3)
    expect(await world.relay.userTexts(page.storedId)).toEqual(['say: mine', prompt])
    page.close()
  })
})
