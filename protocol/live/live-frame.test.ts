import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LiveClientFrame, MESSAGE_BYTES_MAX } from './live-frame.ts'

const session = fc.constantFrom('20261130_201319_d8cd3f', 'draft:0123abcd', 'x')
const msgId = fc.stringMatching(/^[0-9A-Za-z_-]{8,64}$/)
const frame = fc.oneof(
  fc.record({ type: fc.constant('live.attach'), payload: fc.record({ session, epoch: fc.string({ maxLength: 20 }), after: fc.nat() }) }),
  fc.record({ type: fc.constant('live.submit'), payload: fc.record({ session, client_msg_id: msgId, text: fc.string() }) }),
  fc.record({ type: fc.constant('live.answer'), payload: fc.record({ session, ask_id: fc.string({ maxLength: 100 }), answer: fc.oneof(fc.record({ kind: fc.constant('choice'), choice: fc.string({ maxLength: 99 }) }), fc.record({ kind: fc.constant('value'), value: fc.string() })) }) }),
  fc.record({ type: fc.constant('live.queue.move'), payload: fc.record({ session, client_msg_id: msgId, before: fc.option(msgId) }) }),
  fc.record({ type: fc.constantFrom('live.detach', 'live.stop', 'live.takeover', 'live.queue.release'), payload: fc.record({ session }) }),
  fc.record({ type: fc.constant('live.resolve'), payload: fc.record({ session, client_msg_id: msgId, verdict: fc.constantFrom('send_again', 'arrived', 'discard') }) }),
)

test('every frame that a page may say is read, unknown fields are gone, and reading again changes nothing', () => {
  fc.assert(fc.property(frame, fc.jsonValue(), (raw, extra) => {
    const once = LiveClientFrame.safeParse(JSON.parse(JSON.stringify({ ...raw, extra, payload: { ...raw.payload, extra } })))
    expect(once.error?.issues ?? []).toEqual([])
    expect(JSON.stringify(once.data)).not.toContain('"extra"')
    expect(LiveClientFrame.parse(once.data)).toEqual(once.data)
  }), { seed: 20_261_130, numRuns: 500 })
})

test('the door is total on any JSON', () => {
  fc.assert(fc.property(fc.jsonValue(), (raw) => { LiveClientFrame.safeParse(raw) }), { seed: 20_261_130, numRuns: 500 })
})

test.each([
  ['a session that is no id', { type: 'live.stop', payload: { session: '../etc' } }, 'payload.session'],
  ['a short message id', { type: 'live.submit', payload: { session: 'x', client_msg_id: 'short', text: 'a' } }, 'payload.client_msg_id'],
  ['a text above the limit', { type: 'live.submit', payload: { session: 'x', client_msg_id: '12345678', text: 'x'.repeat(MESSAGE_BYTES_MAX + 1) } }, 'payload.text'],
  ['too many attachments', { type: 'live.submit', payload: { session: 'x', client_msg_id: '12345678', text: '', attachments: Array(33).fill({}) } }, 'payload.attachments'],
  ['a negative number', { type: 'live.attach', payload: { session: 'x', after: -1 } }, 'payload.after'],
  ['an unknown kind', { type: 'live.burn', payload: { session: 'x' } }, 'type'],
])('refused: %s', (_, raw, at) => { expect(LiveClientFrame.safeParse(raw).error?.issues[0]?.path.join('.')).toBe(at) })
