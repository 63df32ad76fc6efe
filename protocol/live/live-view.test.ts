import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ASKS_MAX, emptyView, isRunning, LiveView, openAsks, stepView, type ViewEvent } from './live-view.ts'
import { newTurn } from '../turn/turn-fold.ts'
import type { AskState, AskView } from '../turn/ask.ts'

const turn = newTurn({ turnId: 't1', origin: 'ours', clientMsgId: null, prompt: 'Q', startedAtMs: 0 })
const ask = (askId: string, state: AskState = 'open'): AskView => ({
  askId, kind: 'approval', state, title: 'Run?', command: null, description: null, choices: [], freeText: false, envVar: null, raisedAtMs: 0, deadlineAtMs: 60_000, answeredBy: null, answer: null,
})

const event: fc.Arbitrary<ViewEvent> = fc.oneof(
  fc.constant<ViewEvent>({ kind: 'turn_set', turn }), fc.constant<ViewEvent>({ kind: 'turn_set', turn: null }), fc.constant<ViewEvent>({ kind: 'stopping' }),
  fc.string().map((text): ViewEvent => ({ kind: 'turn', event: { kind: 'text', text } })),
  fc.constant<ViewEvent>({ kind: 'turn', event: { kind: 'ended', status: 'complete', text: 'done', reasoning: null, error: null, warning: null, usage: null } }),
  fc.tuple(fc.nat(50), fc.constantFrom<AskState>('open', 'overdue', 'answering', 'answered', 'expired')).map(([id, state]): ViewEvent => ({ kind: 'ask', ask: ask(`a${id}`, state) })),
  fc.nat(50).map((id): ViewEvent => ({ kind: 'ask_gone', askId: `a${id}` })),
  fc.constantFrom<ViewEvent>({ kind: 'owner', owner: 'elsewhere' }, { kind: 'link', link: 'up' }, { kind: 'bound', storedId: 's1' }, { kind: 'title', title: 'T' }, { kind: 'history', anchor: 4, revision: 2 }),
)

test('snapshot plus tail is the same view as everything from the start, at every point of attachment (I7)', () => {
  fc.assert(fc.property(fc.array(event, { maxLength: 40 }), fc.nat(40), (events, at) => {
    const whole = events.reduce(stepView, emptyView('s1'))
    const snapshot = JSON.parse(JSON.stringify(events.slice(0, at).reduce(stepView, emptyView('s1')))) as LiveView
    expect(events.slice(at).reduce(stepView, LiveView.parse(snapshot))).toEqual(whole)
    expect(whole.asks.length).toBeLessThanOrEqual(ASKS_MAX)
  }), { seed: 20_261_130, numRuns: 300 })
})

test('closed questions fall out first when there are too many', () => {
  const full = Array.from({ length: ASKS_MAX }, (_, at) => ask(`a${at}`, at === 5 ? 'answered' : 'open')).reduce((view, one) => stepView(view, { kind: 'ask', ask: one }), emptyView('s1'))
  const view = stepView(full, { kind: 'ask', ask: ask('new') })
  expect(view.asks.map((one) => one.askId)).not.toContain('a5')
  expect(openAsks(view).length).toBe(ASKS_MAX)
})

test('stopping marks a running turn only; a turn event without a turn changes nothing', () => {
  const running = stepView(emptyView('s1'), { kind: 'turn_set', turn })
  expect(isRunning(running)).toBe(true)
  expect(stepView(running, { kind: 'stopping' }).turn?.stopping).toBe(true)
  const ended = stepView(running, { kind: 'turn', event: { kind: 'ended', status: 'interrupted', text: '', reasoning: null, error: null, warning: null, usage: null } })
  expect([isRunning(ended), stepView(ended, { kind: 'stopping' })]).toEqual([false, ended])
  expect(stepView(emptyView('s1'), { kind: 'turn', event: { kind: 'started' } })).toEqual(emptyView('s1'))
  expect(emptyView('draft:12345678').storedId).toBeNull()
})
