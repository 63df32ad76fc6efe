import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseReader, type SseEvent, SseTooLong } from './sse-reader.ts'

const read = (chunks: readonly string[]): SseEvent[] => {
  const reader = createSseReader()
  return [...chunks.flatMap((chunk) => [...reader.feed(chunk)]), ...reader.finish()]
}
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
}

test('fields, comments, all three line ends, several data lines, a missing last blank line, the last id', () => {
  const text = 'data: a\n\n: keep alive\n\nevent: error\r\ndata:b\r\ndata:  c\r\rid: 7\n\ndata\n\ndata: [DONE]'
  expect(read([text])).toEqual([{ event: '', data: 'a' }, { event: 'error', data: 'b\n c' }, { event: '', data: '' }, { event: '', data: '[DONE]' }])
  expect(read([new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode('data: a\n\n')]))])).toEqual([{ event: '', data: 'a' }])
  const reader = createSseReader()
  reader.feed('id: 7\ndata: a\n\ndata: b\n\n')
  expect(reader.lastId).toBe('7')
})

test('any chunking gives the same events', () => {
  const piece = fc.constantFrom('data: ', 'data:', 'event: x', ': c', '\n', '\r', '\r\n', '\n\n', '{"a":1}', 'é😀', ' ', 'id: 1')
  fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(400), { maxLength: 30 }), (pieces, cuts) => {
    const text = pieces.join('')
    expect(read(cutAt(text, cuts))).toEqual(read([text]))
    expect(read([...text])).toEqual(read([text]))
  }), { numRuns: 500 })
})

test('every event that was written is read', () => {
  const data = fc.string({ unit: fc.constantFrom('a', ' ', ':', '😀', '\n'), minLength: 1, maxLength: 30 })
  fc.assert(fc.property(fc.array(data, { maxLength: 10 }), fc.array(fc.nat(400)), fc.constantFrom('\n', '\r\n', '\r'), (events, cuts, eol) => {
    const text = events.map((event) => `${event.split('\n').map((line) => `data: ${line}`).join(eol)}${eol}${eol}`).join('')
    expect(read(cutAt(text, cuts)).map((event) => event.data)).toEqual(events)
  }))
})

test('an event has a bound, as one line and as many', () => {
  const reader = createSseReader(1_000)
  reader.feed(`data: ${'x'.repeat(900)}`)
  expect(() => reader.feed('x'.repeat(200))).toThrow(SseTooLong)
  const lines = createSseReader(1_000)
  const feed = (): void => { for (let n = 0; n < 20; n += 1) lines.feed(`data: ${'x'.repeat(90)}\n`) }
  expect(feed).toThrow(SseTooLong)
  const many = createSseReader(1_000)
  expect(() => { for (let n = 0; n < 50; n += 1) many.feed(`data: ${'x'.repeat(90)}\n\n: c\n\n`) }).not.toThrow()
})
