import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromGatewayEvent } from './from-gateway.ts'
import { TurnEvent } from './turn-event.ts'
import { type Block, newTurn, stepTurn, type ToolBlock, TOOL_RESULT_MAX, Turn, TURN_BLOCKS_MAX, TURN_TEXT_MAX } from './turn-fold.ts'
import vectors from './turn-fold.vectors.json' with { type: 'json' }

const seed = (origin: Turn['origin'] = 'ours'): Turn => newTurn({ turnId: 't1', origin, clientMsgId: null, prompt: 'Q', startedAtMs: 0 })
const fold = (events: readonly TurnEvent[], turn = seed()): Turn => events.reduce(stepTurn, turn)
const texts = (turn: Turn) => turn.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
const tools = (turn: Turn) => turn.blocks.filter((block): block is ToolBlock => block.kind === 'tool')

type Vector = { name: string; origin?: string; events: (string | Record<string, unknown>)[][]; texts: string[]; thinking?: string[]; tools?: (string | null)[][]; status: string; error?: string }

test.each(vectors as Vector[])('fold: $name', (vector) => {
  const turn = vector.events.reduce((state, [type, payload]) => {
    const fact = fromGatewayEvent(type as string, (payload as Record<string, unknown>) ?? {})
    expect(fact.kind).not.toBe('unknown')
    return fact.kind === 'turn' ? stepTurn(state, fact.event) : state
  }, seed(vector.origin === 'agent' ? 'agent' : 'ours'))
  expect(texts(turn)).toEqual(vector.texts)
  expect(turn.outcome?.status).toBe(vector.status)
  expect(turn.phase).toBe('ended')
  expect(turn.outcome?.error ?? undefined).toBe(vector.error)
  if (vector.thinking) expect(turn.blocks.flatMap((block) => (block.kind === 'thinking' ? [block.text] : []))).toEqual(vector.thinking)
  if (vector.tools) expect(tools(turn).map((tool) => [tool.toolId, tool.state, tool.result])).toEqual(vector.tools)
})

const done = (toolId: string | null, result: string): TurnEvent => ({
  kind: 'tool_done', toolId, name: 'terminal', failed: false, blocked: false, args: null, result, error: null, durationS: null, diff: null, todos: null,
})
const started = (toolId: string | null): TurnEvent => ({ kind: 'tool_started', toolId, name: 'terminal', caption: null, args: null })

test('tool ids: the server id wins, else the placeholder keeps its own; a completion without id takes the oldest open id-less start', () => {
  const turn = fold([
    { kind: 'started' }, { kind: 'tool_preparing', name: 'terminal' }, { kind: 'tool_preparing', name: 'terminal' }, started(null), started('call_9'), done(null, 'first'),
    done('call_9', 'second'), done(null, 'ignored'),
  ])
  expect(tools(turn).map((tool) => [tool.toolId, tool.state, tool.result])).toEqual([['gateway-tool-terminal-1', 'done', 'first'], ['call_9', 'done', 'second']])
})

test('text, blocks and results are bounded', () => {
  const piece = 'x'.repeat(1_024 * 1_024)
  const long = fold([...Array.from({ length: 6 }, (): TurnEvent => ({ kind: 'text', text: piece }))])
  expect(texts(long)[0] === `${'x'.repeat(TURN_TEXT_MAX)}\n… `).toBe(true)
  const many = fold(Array.from({ length: TURN_BLOCKS_MAX + 10 }, (_, at) => done(`t${at}`, 'r')))
  expect(many.blocks.length).toBe(TURN_BLOCKS_MAX)
  expect(tools(many).at(-1)?.toolId).toBe(`t${TURN_BLOCKS_MAX + 9}`)
  expect(tools(fold([done('t', 'y'.repeat(TOOL_RESULT_MAX * 2))]))[0]!.result!.length).toBeLessThan(TOOL_RESULT_MAX + 10)
})

const word = fc.oneof(fc.constantFrom('', '\n\n', '[SILENT]', 'Hello', ' world', 'Hel'), fc.string({ maxLength: 8 }))
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: null })
const toolId = maybe(fc.constantFrom('a', 'b', 'c'))
const name = fc.constantFrom('terminal', 'read')
const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.constant<TurnEvent>({ kind: 'started' }),
  fc.record({ kind: fc.constant('text' as const), text: word }),
  fc.record({ kind: fc.constant('sealed' as const), text: word, streamed: fc.boolean() }),
  fc.record({ kind: fc.constant('reasoning' as const), text: word }),
  fc.record({ kind: fc.constant('caption' as const), text: word }),
  fc.record({ kind: fc.constant('status' as const), topic: word, text: word }),
  fc.record({ kind: fc.constant('tool_preparing' as const), name }),
  fc.record({ kind: fc.constant('tool_started' as const), toolId, name, caption: maybe(word), args: maybe(word) }),
  fc.record({
    kind: fc.constant('tool_done' as const), toolId, name, failed: fc.boolean(), blocked: fc.boolean(), args: maybe(word), result: maybe(word), error: maybe(word),
    durationS: maybe(fc.double({ noNaN: true })), diff: maybe(word), todos: fc.constant(null),
  }),
  fc.record({ kind: fc.constant('subagent' as const), index: fc.nat(2), count: fc.nat(3), phase: fc.constantFrom('running' as const, 'done' as const, 'failed' as const), goal: word, note: maybe(word) }),
)
const end: fc.Arbitrary<TurnEvent> = fc.record({
  kind: fc.constant('ended' as const), status: fc.constantFrom('complete' as const, 'error' as const, 'interrupted' as const), text: word, reasoning: maybe(word), error: maybe(word),
  warning: maybe(word), usage: fc.constant(null),
})

test('the fold is total: whatever comes, the result is a turn, and ids of tools are unique', () => {
  fc.assert(fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: event }, { weight: 1, arbitrary: end }), { maxLength: 60 }), (events) => {
    const turn = fold(events)
    expect(Turn.safeParse(turn).success).toBe(true)
    const ids = tools(turn).map((tool) => tool.toolId)
    expect(new Set(ids).size).toBe(ids.length)
  }), { seed: 20_261_130, numRuns: 400 })
})

test('an ended turn changes no more, and holds neither empty bubbles nor preparing tools', () => {
  fc.assert(fc.property(fc.array(event, { maxLength: 40 }), end, fc.array(fc.oneof(event, end), { maxLength: 20 }), (before, last, after) => {
    const ended = fold([...before, last])
    expect(fold(after, ended)).toEqual(ended)
    expect(ended.phase).toBe('ended')
    for (const block of ended.blocks) {
      if (block.kind === 'text') expect([block.sealed, block.text.trim() === '']).toEqual([true, false])
      if (block.kind === 'tool') expect(block.state).not.toBe('preparing')
    }
  }), { seed: 20_261_130, numRuns: 300 })
})

test('splitting the text of deltas at any point gives the same turn', () => {
  const cut = fc.tuple(fc.string({ minLength: 1, maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 6 }), fc.boolean(), fc.boolean())
  fc.assert(fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (parts) => {
    const play = (split: boolean): Block[] => {
      const events = parts.flatMap(([text, at, blank, tool], index): TurnEvent[] => {
        const whole = blank ? `\n\n${text}` : text
        const points = split ? [...new Set([0, ...at.map((point) => Math.min(point, whole.length)), whole.length])].sort((a, b) => a - b) : [0, whole.length]
        const deltas = points.slice(1).map((to, i): TurnEvent => ({ kind: 'text', text: whole.slice(points[i], to) }))
        return tool ? [...deltas, started(`t${index}`), done(`t${index}`, 'r')] : deltas
      })
      return fold([{ kind: 'started' }, ...events, { kind: 'ended', status: 'complete', text: '', reasoning: null, error: null, warning: null, usage: null }]).blocks
    }
    expect(play(true)).toEqual(play(false))
  }), { seed: 20_261_130, numRuns: 500, examples: [[[['[SILENT] is a word', [8], false, false]]], [[['a NO_REPLY b', [2, 10], false, false]]]] })
})

test('what the translator makes of any payload is an event of ours', () => {
  const payload = fc.dictionary(fc.constantFrom('text', 'name', 'tool_id', 'args', 'result', 'status', 'error', 'usage', 'todos', 'request_id', 'choices', 'task_index', 'reasoning'), fc.jsonValue())
  const type = fc.constantFrom('message.start', 'message.delta', 'message.interim', 'message.complete', 'reasoning.delta', 'thinking.delta', 'status.update', 'tool.generating', 'tool.start', 'tool.complete', 'error', 'session.info', 'session.title', 'clarify.request', 'approval.request', 'secret.request', 'subagent.start', 'subagent.complete', 'made.up')
  fc.assert(fc.property(type, payload, (kind, raw) => {
    const fact = fromGatewayEvent(kind, raw as Record<string, unknown>)
    if (fact.kind !== 'turn') return
    expect(TurnEvent.safeParse(fact.event).success).toBe(true)
    expect(Turn.safeParse(fold([fact.event])).success).toBe(true)
  }), { seed: 20_261_130, numRuns: 1_000 })
})
