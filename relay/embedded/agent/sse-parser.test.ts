import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SSE_EVENT_CHARS_MAX, SSE_LINE_CHARS_MAX, type SseEvent, SseParser } from './sse-parser.ts'

const parse = (chunks: readonly string[]): SseEvent[] => {
  const parser = new SseParser()
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()]
}
const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length))
}

test('fields, comments, all three line ends, several data lines, a missing last blank line', () => {
  expect(parse(['\ufeffdata: a\n\n: keep alive\n\nevent: error\r\ndata:b\r\ndata:  c\r\rid: 7\n\ndata\n\ndata: [DONE]'])).toEqual([
    { event: 'message', data: 'a' }, { event: 'error', data: 'b\n c' }, { event: 'message', data: '' }, { event: 'message', data: '[DONE]' },
  ])
})

test('any chunking gives the same events', () => {
  const piece = fc.constantFrom('data: ', 'data:', 'event: x', ': c', '\n', '\r', '\r\n', '\n\n', '{"a":1}', 'é😀', ' ', 'id: 1', '\ufeff')
  fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(400), { maxLength: 30 }), (pieces, cuts) => {
    const text = pieces.join('')
    expect(parse(cutAt(text, cuts))).toEqual(parse([text]))
    expect(parse([...text])).toEqual(parse(text === '' ? [] : [text]))
  }), { numRuns: 500 })
})

test('every event that was written is read', () => {
  const data = fc.string({ unit: fc.constantFrom('a', ' ', ':', '😀', '\n'), minLength: 1, maxLength: 30 })
  fc.assert(fc.property(fc.array(data, { maxLength: 10 }), fc.array(fc.nat(400)), fc.constantFrom('\n', '\r\n', '\r'), (events, cuts, eol) => {
    const text = events.map((event) => `${event.split('\n').map((line) => `data: ${line}`).join(eol)}${eol}${eol}`).join('')
    expect(parse(cutAt(text, cuts)).map((event) => event.data)).toEqual(events)
  }))
})

test('lines and events have a bound', () => {
  const half = 'x'.repeat(SSE_LINE_CHARS_MAX / 2)
  expect(() => new SseParser().push(half + half)).not.toThrow()
  const parser = new SseParser()
  parser.push(half)
  parser.push(half)
  expect(() => parser.push('x')).toThrow(RangeError)
  const long = new SseParser()
  const line = `data: ${'x'.repeat(1_000_000)}\n`
  for (let sent = 0; sent + 1_000_000 <= SSE_EVENT_CHARS_MAX; sent += 1_000_000) long.push(line)
  expect(() => long.push(line)).toThrow(RangeError)
})
