/** Recordings of the real API server through the frame reader, the translators and the fold: whatever the bytes are cut at, one end, and the server's own words. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { startCompletions, stepCompletions } from '#protocol/api-server/from-completions.ts'
import { startRun, stepRun } from '#protocol/api-server/from-run-events.ts'
import { startSessionStream, stepSessionStream } from '#protocol/api-server/from-session-stream.ts'
import { createFrameReader } from '#protocol/api-server/sse-frames.ts'
import type { StreamFact, StreamFrame } from '#protocol/api-server/stream-fact.ts'
import { newTurn, stepTurn, type Turn } from '#protocol/turn/turn-fold.ts'

type Entry = { dir: string; text?: string; event?: string; data?: unknown; comment?: string; body?: unknown }
type Stream = { name: string; entries: Entry[] }
type Json = Record<string, unknown>

const DIR = new URL('./contract/fixtures/upstream-0.19.0/', import.meta.url)
/** Every answer of a recording: what came between one request and the next. */
function streamsOf(file: string): Stream[] {
  const out: Stream[] = []
  let note = ''
  for (const line of readFileSync(new URL(`${file}.sse.jsonl`, DIR), 'utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line) as Entry
    if (entry.dir === 'note') note = entry.text ?? ''
    if (entry.dir === 'send') out.push({ name: `${file}: ${note}`, entries: [] })
    if (entry.dir === 'recv') out.at(-1)?.entries.push(entry)
  }
  return out.filter(({ entries }) => entries.length > 0)
}
const wire = ({ entries }: Stream): string => entries.map(({ event, data, comment }) => (comment === undefined ? `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n` : `: ${comment}\n\n`)).join('')

function framesOf(text: string, cuts: readonly number[] = [1_000_000]): StreamFrame[] {
  const reader = createFrameReader()
  const decoder = new TextDecoder()
  const bytes = new TextEncoder().encode(text)
  const frames: StreamFrame[] = []
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const to = at + (cuts[n % cuts.length] ?? 1)
    frames.push(...reader.feed(decoder.decode(bytes.slice(at, to), { stream: true })))
    at = to
  }
  frames.push(...reader.finish())
  expect(reader.broken).toBe(0)
  return frames
}

const DIALECTS = {
  sessions: (frames: readonly StreamFrame[]) => factsOf(startSessionStream, stepSessionStream, frames),
  runs: (frames: readonly StreamFrame[]) => factsOf(startRun, stepRun, frames),
  completions: (frames: readonly StreamFrame[]) => factsOf(startCompletions, stepCompletions, frames),
}
function factsOf<State>(start: State, step: (state: State, frame: StreamFrame) => { state: State; facts: readonly StreamFact[] }, frames: readonly StreamFrame[]): StreamFact[] {
  let state = start
  return frames.flatMap((frame) => { const next = step(state, frame); state = next.state; return [...next.facts] })
}
const fold = (facts: readonly StreamFact[]): Turn => facts.reduce((turn, fact) => (fact.kind === 'turn' ? stepTurn(turn, fact.event) : turn), newTurn({ turnId: 't', origin: 'ours', clientMsgId: null, prompt: null, startedAtMs: 0 }))
const payloads = ({ entries }: Stream): Json[] => entries.flatMap(({ data }) => (typeof data === 'object' && data !== null ? [data as Json] : []))
const lastText = (turn: Turn): string => { const block = turn.blocks.findLast((one) => one.kind === 'text'); return block?.kind === 'text' ? block.text : '' }

const all = [
  ...['sessions-stream', 'sessions-stream-asks', 'sessions-stream-stop', 'parallel-and-idempotency'].flatMap(streamsOf).map((stream) => ({ dialect: 'sessions' as const, stream })),
  ...streamsOf('runs').map((stream) => ({ dialect: 'runs' as const, stream })),
  ...streamsOf('completions').map((stream) => ({ dialect: 'completions' as const, stream })),
].filter(({ stream }) => typeof stream.entries[0]?.data === 'object' || stream.entries[0]?.comment !== undefined)

test.each(all.map((one) => [one.stream.name, one] as const))('%s', (_name, { dialect, stream }) => {
  const text = wire(stream)
  const facts = DIALECTS[dialect](framesOf(text))
  expect(facts.filter(({ kind }) => kind === 'unknown')).toEqual([])
  const said = payloads(stream)
  const isWhole = said.some((one) => /^(?:run\.|done$)/.test(String(one['event'] ?? ''))) || stream.entries.some(({ event, data }) => event === 'done' || data === '[DONE]')
  const ends = facts.filter((fact) => fact.kind === 'turn' && fact.event.kind === 'ended')
  expect(ends).toHaveLength(isWhole ? 1 : 0)
  const turn = fold(facts)
  if (isWhole) expect(turn.blocks.filter((block) => block.kind === 'tool' && (block.state === 'running' || block.state === 'preparing'))).toEqual([])
  const final = said.findLast((one) => typeof one['output'] === 'string')?.['output'] ?? said.findLast((one) => typeof one['content'] === 'string' && one['completed'] === true)?.['content']
  if (turn.outcome?.status === 'complete' && typeof final === 'string') expect(lastText(turn)).toBe(final)
  const thoughts = turn.blocks.filter((block) => block.kind === 'thinking').map((block) => block.text)
  expect(thoughts).toEqual(dialect === 'sessions' ? [thoughtOf(said)].filter((one) => one !== '') : [])
})

const thoughtOf = (said: readonly Json[]): string => {
  const rows = (said.findLast((one) => Array.isArray(one['messages']))?.['messages'] ?? []) as Json[]
  return rows.slice(rows.findLastIndex(({ role }) => role === 'user') + 1).map(({ reasoning }) => (typeof reasoning === 'string' ? reasoning : '')).filter((one) => one !== '').join('\n\n')
}

test('whatever the bytes are cut at, the frames are the same', () => {
  const streams = all.map(({ stream }) => stream).filter((stream) => wire(stream).length < 8_000)
  fc.assert(fc.property(fc.constantFrom(...streams), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'), (stream, cuts, lineEnd) => {
    const text = wire(stream)
    expect(framesOf(text.replaceAll('\n', lineEnd), cuts)).toEqual(framesOf(text))
  }), { seed: 20_261_201, numRuns: 200 })
})

test('failures that look like success are failures; a stop and an answer in two parts are what they are', () => {
  const outcome = (file: string, note: string, dialect: keyof typeof DIALECTS) => {
    const stream = streamsOf(file).find(({ name }) => name === `${file}: ${note}`)
    if (!stream) throw new Error(`no such recording: ${note}`)
    return fold(DIALECTS[dialect](framesOf(wire(stream)))).outcome
  }
  expect(outcome('sessions-stream', 'upstream model error', 'sessions')).toMatchObject({ status: 'error', error: expect.stringContaining('HTTP 400: stub error 400') })
  expect(outcome('runs', 'error', 'runs')).toMatchObject({ status: 'error', error: expect.stringContaining('HTTP 400: stub error 400') })
  expect(outcome('runs', 'stop', 'runs')).toMatchObject({ status: 'interrupted' })
  expect(outcome('completions', 'model error', 'completions')).toMatchObject({ status: 'error' })
  expect(outcome('completions', 'length', 'completions')).toMatchObject({ status: 'complete', warning: null }) // 0.19.0 asks the model to go on, and says `stop`.
})
