import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseGatewayFrames } from './gateway-frame.ts'
import vectors from './gateway-frame.vectors.json' with { type: 'json' }

test.each(vectors)('gateway frame: $name', ({ text, frames }) => { expect(parseGatewayFrames(text)).toEqual(frames) })

test('the parser is total: any text gives frames of known kinds, never an error', () => {
  const frameLike = fc.record({ id: fc.jsonValue(), method: fc.jsonValue(), params: fc.jsonValue(), result: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: [] })
  const text = fc.oneof(fc.string(), fc.json(), frameLike.map((frame) => JSON.stringify(frame)), fc.array(frameLike).map((frames) => frames.map((frame) => JSON.stringify(frame)).join('\n')))
  fc.assert(fc.property(text, (raw) => {
    for (const frame of parseGatewayFrames(raw)) expect(['response', 'failure', 'request', 'event']).toContain(frame.kind)
  }), { seed: 20_261_130, numRuns: 2_000 })
})

test('what was an event stays that event, whatever its payload holds', () => {
  fc.assert(fc.property(fc.string(), fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (type, liveId, payload) => {
    const [frame] = parseGatewayFrames(JSON.stringify({ jsonrpc: '2.0', method: 'event', params: { type, session_id: liveId, payload } }))
    expect(frame).toEqual({ kind: 'event', type, liveId, seq: null, payload: JSON.parse(JSON.stringify(payload)) })
  }), { seed: 20_261_130, numRuns: 300 })
})
