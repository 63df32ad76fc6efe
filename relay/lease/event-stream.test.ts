import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVENT_BYTES_MAX, MERGE_CHARS_MAX } from '#protocol/live/live-frame.ts'
import { NumberedEvent, type ViewEvent } from '#protocol/live/live-view.ts'
import { EventStream, RING_BYTES_MAX, RING_EVENTS_MAX, STUB_BYTES_MAX } from './event-stream.ts'

const delta = (text: string): ViewEvent => ({ kind: 'turn', event: { kind: 'text', text } })
const title = (text: string): ViewEvent => ({ kind: 'title', title: text })

function open() {
  const out: NumberedEvent[] = []
  const stream = new EventStream(({ json }) => out.push(NumberedEvent.parse(JSON.parse(json))), (seq) => `/large/${seq}`)
  return { out, stream }
}

test('deltas that wait together are one event with the number of the last; anything else flushes them first', () => {
  const { out, stream } = open()
  stream.push(delta('a'))
  stream.push(delta('b'))
  stream.push(title('t'))
  stream.push(delta('c'))
  expect(stream.isWaiting).toBe(true)
  stream.flush()
  expect(out).toEqual([
    { seq: 2, n: 2, event: delta('ab') }, { seq: 3, n: 1, event: title('t') }, { seq: 4, n: 1, event: delta('c') },
  ])
})

test('a merged delta leaves at once when it is large', () => {
  const { out, stream } = open()
  expect(stream.push(delta('x'.repeat(MERGE_CHARS_MAX)))).toBe(false)
  expect(out).toHaveLength(1)
})

test('reasoning and text never merge', () => {
  const { out, stream } = open()
  stream.push(delta('a'))
  stream.push({ kind: 'turn', event: { kind: 'reasoning', text: 'b' } })
  stream.flush()
  expect(out.map((e) => e.n)).toEqual([1, 1])
})

test('what a page has plus what it lacks is everything, from any point', () => {
  const event = fc.oneof(fc.string({ minLength: 1, maxLength: 5 }).map(delta), fc.string({ maxLength: 5 }).map(title))
  fc.assert(fc.property(fc.array(event, { maxLength: 60 }), fc.array(fc.nat(59)), (events, flushes) => {
    const { out, stream } = open()
    for (const [index, one] of events.entries()) {
      stream.push(one)
      if (flushes.includes(index)) stream.flush()
    }
    stream.flush()
    for (const [index, { seq }] of out.entries()) {
      const missed = stream.after(seq)
      expect(missed.kind === 'events' && missed.entries.map((json) => JSON.parse(json))).toEqual(out.slice(index + 1))
    }
    expect(out.reduce((sum, e) => sum + e.n, 0)).toBe(events.length)
  }))
})

test('beyond the bound of events the oldest fall out, and a page that lacks them is told of a gap', () => {
  const { stream } = open()
  for (let n = 0; n < RING_EVENTS_MAX + 5; n += 1) stream.push(title(`${n}`))
  expect(stream.after(3)).toEqual({ kind: 'gap' })
  expect(stream.after(5).kind).toBe('events')
})

test('beyond the bound of bytes the oldest fall out', () => {
  const { stream } = open()
  for (let n = 0; n < 40; n += 1) stream.push(title('x'.repeat(200_000)))
  expect(stream.bytes).toBeLessThanOrEqual(RING_BYTES_MAX)
  expect(stream.after(0)).toEqual({ kind: 'gap' })
})

test('a number that was never given is a gap, not an empty tail', () => {
  const { stream } = open()
  stream.push(title('a'))
  expect(stream.after(7)).toEqual({ kind: 'gap' })
})

test('an event larger than the socket takes travels as a stub and is kept for fetching, within a bound', () => {
  const { out, stream } = open()
  for (let n = 0; n < 50; n += 1) stream.push(title('x'.repeat(EVENT_BYTES_MAX)))
  expect(out[0]?.event).toEqual({ kind: 'stub', bytes: expect.any(Number), href: '/large/1' })
  expect(stream.large(1)).toBeNull()
  expect(stream.large(50)).toContain('xxx')
  expect(stream.bytes).toBeLessThanOrEqual(RING_BYTES_MAX + STUB_BYTES_MAX)
})
