import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import { emptyView, type LiveView, type Message, type Outcome } from '#protocol/live/live-view.ts'
import { newTurn, stepTurn, type Turn } from '#protocol/turn/turn-fold.ts'
import { type DisplayItem, mergeTranscript } from './transcript.ts'

const T0 = 1_800_000_000_000
const row = (id: number, role: string, content: string, atMs = T0 + id): MessageRow => ({ id, role, content, timestamp: atMs / 1_000 })
const live = (turnId: string, prompt: string | null, text: string, ended: boolean, startedAtMs = T0): Turn => {
  const told = stepTurn(newTurn({ turnId, origin: prompt === null ? 'agent' : 'ours', clientMsgId: 'message-1', prompt, startedAtMs }), { kind: 'text', text })
  return ended ? stepTurn(told, { kind: 'ended', status: 'complete', text, reasoning: null, error: null, warning: null, usage: null }) : told
}
const view = (patch: Partial<LiveView>): LiveView => ({ ...emptyView('s'), ...patch })
const words = (items: readonly DisplayItem[]): string[] => items.flatMap((item) => {
  if (item.kind === 'user') return [`you: ${item.text}`]
  if (item.kind === 'turn') return item.blocks.map((block) => (block.kind === 'text' ? `it: ${block.text}` : block.kind))
  return item.kind === 'outcome' ? ['outcome'] : []
})
const OLD = [row(1, 'user', 'hello', T0 - 60_000), row(2, 'assistant', 'hi', T0 - 50_000)]
const NEW = [row(3, 'user', 'again'), row(4, 'assistant', 'sure')]

describe('the turn while it runs', () => {
  test('its rows above the anchor are not shown twice', () => {
    const items = mergeTranscript({ rows: [...OLD, ...NEW], rowsRevision: 1, view: view({ turn: live('t', 'again', 'sur', false), historyAnchor: 2, historyRevision: 1 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: again', 'it: sur'])
  })
  test('a prompt that is already below the anchor is shown once', () => {
    const items = mergeTranscript({ rows: [...OLD, ...NEW], rowsRevision: 1, view: view({ turn: live('t', 'again', 'sur', false), historyAnchor: 3, historyRevision: 1 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: again', 'it: sur'])
  })
  test('the same words of an earlier turn are not taken for the prompt', () => {
    const items = mergeTranscript({ rows: OLD, rowsRevision: 1, view: view({ turn: live('t', 'hello', 'x', false), historyAnchor: 2, historyRevision: 1 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: hello', 'it: x'])
  })
})

test('what did not change keeps its identity from frame to frame', () => {
  const frame = (text: string) => mergeTranscript({ rows: OLD, rowsRevision: 1, view: view({ turn: live('t', 'again', text, false), historyAnchor: 2, historyRevision: 1 }), outbox: [] })
  const [before, after] = [frame('su'), frame('sure')]
  expect(after.find((item) => item.key === 'row-2')).toBe(before.find((item) => item.key === 'row-2'))
})

describe('questions that are over', () => {
  const ask = (askId: string, raisedAtMs: number, state: 'answered' | 'open') => ({ askId, kind: 'approval' as const, state, title: 'Run?', command: 'ls', description: null, choices: ['once', 'deny'], freeText: false, envVar: null, raisedAtMs, deadlineAtMs: raisedAtMs + 60_000, answeredBy: 'Tablet', answer: 'deny' })
  const asksOf = (items: readonly DisplayItem[]): string[][] => items.flatMap((item) => (item.kind === 'turn' ? [item.asks.map((one) => one.askId)] : []))
  const rows = [row(1, 'user', 'one', T0 - 60_000), row(2, 'assistant', 'first', T0 - 50_000), row(3, 'user', 'two', T0 - 40_000), row(4, 'assistant', 'second', T0 - 30_000)]
  test('each stands in its turn, the running one and those before it; an open one in none', () => {
    const items = mergeTranscript({ rows, rowsRevision: 1, view: view({ turn: live('t', 'three', 'third', false), historyAnchor: 4, historyRevision: 1, asks: [ask('a', T0 - 55_000, 'answered'), ask('b', T0 - 35_000, 'answered'), ask('c', T0 + 5, 'answered'), ask('d', T0 + 6, 'open')] }), outbox: [] })
    expect(asksOf(items)).toEqual([['a'], ['b'], ['c']])
  })
  test('a question of rows that are not here stands nowhere else', () => {
    expect(asksOf(mergeTranscript({ rows, rowsRevision: 1, view: view({ historyAnchor: 4, historyRevision: 1, asks: [ask('a', T0 - 90_000, 'answered')] }), outbox: [] }))).toEqual([[], []])
  })
})

test('the same words twice within seconds: the earlier turn stays while the second runs, when it has ended, and when it was read', () => {
  const first = [row(1, 'user', 'again', T0 - 4_000), row(2, 'assistant', 'first', T0 - 3_000)]
  const both = [...first, row(3, 'user', 'again'), row(4, 'assistant', 'second')]
  const shown = ['you: again', 'it: first', 'you: again', 'it: second']
  const told = (rows: readonly MessageRow[], ended: boolean, historyAnchor: number, historyRevision: number) => words(mergeTranscript({ rows, rowsRevision: 1, view: view({ turn: live('t', 'again', 'second', ended), historyAnchor, historyRevision }), outbox: [] }))
  expect(told(first, false, 2, 1)).toEqual(shown)
  expect(told(both, false, 2, 1)).toEqual(shown)
  expect(told(first, true, 4, 2)).toEqual(shown)
  expect(told(both, true, 4, 2)).toEqual(shown)
  expect(told(both, true, 4, 1)).toEqual(shown)
})

describe('after the end', () => {
  const ended = live('t', 'again', 'sure', true)
  test('the live turn stays until the history was read again', () => {
    const items = mergeTranscript({ rows: OLD, rowsRevision: 1, view: view({ turn: ended, historyAnchor: 4, historyRevision: 2 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: again', 'it: sure'])
  })
  test('then the rows take its place', () => {
    const items = mergeTranscript({ rows: [...OLD, ...NEW], rowsRevision: 2, view: view({ turn: ended, historyAnchor: 4, historyRevision: 2 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: again', 'it: sure'])
    expect(items.some((item) => item.kind === 'turn' && item.live)).toBe(false)
  })
  test('an outcome stands behind the row that it followed, once', () => {
    const outcome: Outcome = { turnId: 't', afterRowId: 3, prompt: 'again', outcome: { status: 'error', error: 'boom', warning: null }, atMs: T0 }
    const items = mergeTranscript({ rows: [...OLD, row(3, 'user', 'again')], rowsRevision: 2, view: view({ outcomes: [outcome], historyAnchor: 3, historyRevision: 2 }), outbox: [] })
    expect(words(items)).toEqual(['you: hello', 'it: hi', 'you: again', 'outcome'])
  })
})

test('a message is shown once on its whole way: outbox, relay, turn, row', () => {
  const message: Message = { clientMsgId: 'message-1', text: 'again', state: 'sending', device: 'd', rowId: null, reason: null, atMs: T0 }
  const entry = { clientMsgId: 'message-1', session: 's', text: 'again', options: null, atMs: T0, phase: 'sending' as const, say: null, next: null }
  const stages: [LiveView, readonly MessageRow[]][] = [
    [view({}), OLD],
    [view({ messages: [message], historyAnchor: 2 }), OLD],
    [view({ messages: [{ ...message, state: 'sent' }], turn: live('t', 'again', '', false), historyAnchor: 2 }), OLD],
    [view({ messages: [{ ...message, state: 'confirmed', rowId: 3 }], turn: live('t', 'again', 'su', false), historyAnchor: 2 }), [...OLD, row(3, 'user', 'again')]],
    [view({ messages: [{ ...message, state: 'confirmed', rowId: 3 }], turn: live('t', 'again', 'sure', true), historyAnchor: 4 }), [...OLD, ...NEW]],
    [view({ turn: null, historyAnchor: 4 }), [...OLD, ...NEW]],
  ]
  for (const [stage, rows] of stages.entries()) {
    const [v, r] = rows
    for (const outbox of stage < 2 ? [[entry]] : [[], [{ ...entry, phase: 'accepted' as const }]].slice(0, stage < 5 ? 2 : 1)) {
      expect(words(mergeTranscript({ rows: r, rowsRevision: 9, view: v, outbox })).filter((word) => word === 'you: again'), `stage ${stage}`).toHaveLength(1)
    }
  }
})

test('keys are unique and no stored word below the anchor is lost, wherever the turn stands', () => {
  const arbitrary = fc.record({ count: fc.integer({ min: 0, max: 12 }), anchor: fc.integer({ min: 0, max: 14 }), ended: fc.boolean(), running: fc.boolean(), revision: fc.integer({ min: 0, max: 2 }) })
  fc.assert(fc.property(arbitrary, ({ count, anchor, ended, running, revision }) => {
    const rows = Array.from({ length: count }, (_, index) => row(index + 1, index % 2 === 0 ? 'user' : 'assistant', `w${index + 1}`, T0 - 1_000_000 + index * 1_000))
    const v = view({ turn: running ? live('t', 'prompt', 'told', ended) : null, historyAnchor: anchor, historyRevision: revision })
    const items = mergeTranscript({ rows, rowsRevision: 1, view: v, outbox: [] })
    expect(new Set(items.map((item) => item.key)).size).toBe(items.length)
    const told = words(items).join(' ')
    for (const r of rows) if (!running || r.id <= anchor) expect(told).toContain(String(r.content))
  }), { seed: 20_261_130, numRuns: 300 })
})
