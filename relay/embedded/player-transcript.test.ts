/** The player tells the same story twice: what it said live, folded, is what its store says, folded (lease.md I8). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { fromGatewayEvent } from '#protocol/turn/from-gateway.ts'
import { foldHistory } from '#protocol/turn/history-fold.ts'
import { type Block, newTurn, stepTurn, type Turn } from '#protocol/turn/turn-fold.ts'
import { type Client, createPlayerWorld, resultOf, warmSession } from '#tests/world/player-world.ts'
import type { Json } from './player-core.ts'

const essence = (block: Block): unknown[] => {
  if (block.kind === 'tool') return ['tool', block.toolId, block.name, block.args, block.result, block.error, block.state, block.blocked]
  return block.kind === 'subagent' ? ['subagent', block.index] : [block.kind, block.text]
}

function liveTurn(a: Client, from: number): Turn {
  return a.events.slice(from).reduce((turn, event) => {
    const fact = fromGatewayEvent(event.type, event.payload)
    return fact.kind === 'turn' ? stepTurn(turn, fact.event) : turn
  }, newTurn({ turnId: 't', origin: 'ours', clientMsgId: null, prompt: null, startedAtMs: 0 }))
}

const PROMPTS = ['Hello there', 'say: one', 'count 12 20', 'think: why?', 'tool: terminal ls', 'para: a | b', 'chain: a | b | c', 'todo', 'diff', 'long 3000', 'help', 'ask', 'ask-open', 'danger', 'sudo', 'secret']

test.each(PROMPTS)('live and stored agree: %s', async (prompt) => {
  const world = createPlayerWorld()
  const a = await world.client()
  const { liveId, storedId } = await warmSession(world, a)
  const from = a.events.length
  await a.call('prompt.submit', { session_id: liveId, text: prompt })
  await world.clock.advance(400_000) // Questions expire.
  const turn = liveTurn(a, from)
  const stored = foldHistory(parseMessagePage(world.get(`/api/sessions/${storedId}/messages`))!.rows).at(-1)
  expect(turn.outcome?.status).toBe('complete')
  expect(stored?.kind === 'turn' && stored.blocks.map(essence)).toEqual(turn.blocks.map(essence))
})

test('wherever the line is cut, the snapshot, the stored rows and what follows hold every word of the answer', async () => {
  await fc.assert(fc.asyncProperty(fc.constantFrom('count 40 30', 'chain: a | b', 'Hello there'), fc.nat(5_000), fc.nat(4_000), async (prompt, cutMs, awayMs) => {
    const world = createPlayerWorld()
    const a = await world.client()
    const { liveId, storedId } = await warmSession(world, a)
    await a.call('prompt.submit', { session_id: liveId, text: prompt })
    await world.clock.advance(cutMs)
    world.host.dropSocket(a.id)
    await world.clock.advance(awayMs)
    const b = await world.client()
    const snapshot = resultOf(await b.call('session.activate', { session_id: liveId }))
    const rowsNow = world.host.rows(storedId).slice(3).filter((row) => row.role === 'assistant' && row.content !== '').map((row) => row.content)
    await world.clock.advance(30_000)
    const answer = world.host.rows(storedId).at(-1)!.content
    if (snapshot['running'] !== true) {
      expect(rowsNow.at(-1)).toBe(answer)
      return
    }
    const narration = String((snapshot['inflight'] as Json)['assistant'])
    const stored = rowsNow.join('\n\n')
    if (narration.length > 0 && stored.length > 0) expect(narration.startsWith(stored)).toBe(true) // The open segment is the rest.
    const tail = b.events.filter((event) => event.type === 'message.delta').map((event) => String(event.payload['text'])).join('')
    expect(`${narration}${tail}`.replaceAll('\n\n', ' ').trim().endsWith(answer.replaceAll('\n\n', ' '))).toBe(true)
    expect(b.events.filter((event) => event.type === 'message.complete').length).toBe(1)
  }), { seed: 20_261_130, numRuns: 40 })
})
