import { expect, test } from 'vitest'
import { backoffCapMs, jitterMs } from '../backoff/backoff.ts'
import { approvalChoices, clarifyChoices } from './ask.ts'
import { decodedSize } from './decoded-size.ts'
import { fromUsage } from './from-gateway.ts'
import vectors from './numbers.vectors.json' with { type: 'json' }
import { frameBudget, frameCut } from './pacing.ts'
import { pollTimesMs } from './poll-times.ts'
import { isSilenceMarker } from './silence.ts'
import { submitText } from './submit-text.ts'

test.each(vectors.backoff_cap)('backoff cap of attempt %i is %i ms', (attempt, capMs) => { expect(backoffCapMs(attempt!)).toBe(capMs) })
test.each(vectors.jitter)('jitter(%f, %i) is %i', (u, capMs, delayMs) => { expect(jitterMs(u!, capMs!)).toBe(delayMs) })
test.each(vectors.frame_budget)('frame budget of %i is %i', (pending, budget) => { expect(frameBudget(pending!)).toBe(budget) })
test.each(vectors.decoded_size)('decoded size of %j is %i', (text, size) => { expect(decodedSize(text as string)).toBe(size) })
test.each(vectors.silence)('silence marker %j: %j', (text, silent) => { expect(isSilenceMarker(text as string)).toBe(silent) })
test.each(vectors.approval_choices as [Record<string, unknown>, string[]][])('approval choices of %j', (payload, choices) => { expect(approvalChoices(payload)).toEqual(choices) })
test.each(vectors.usage as [unknown, unknown][])('usage of %j', (raw, usage) => { expect(fromUsage(raw)).toEqual(usage) })
test.each(vectors.submit_text)('submit text of %j and %j', (references, prose, text) => { expect(submitText(references as string[], prose as string)).toBe(text) })

test('history poll times', () => {
  const times = pollTimesMs().map((ms) => ms / 1_000)
  expect(times.slice(0, 6)).toEqual(vectors.poll_times_s.first)
  expect([times.length, times.at(-1)]).toEqual([vectors.poll_times_s.count, vectors.poll_times_s.last])
})

test('backoff stays at its cap for every later attempt, and odd attempts do no harm', () => {
  expect([backoffCapMs(1e9), backoffCapMs(-3), jitterMs(-1, 500), jitterMs(Number.MAX_VALUE, 500)]).toEqual([5_000, 500, 0, 500])
})

test('a frame never shows half a character', () => {
  expect(frameCut('a😀', 2)).toBe(1)
  expect(frameCut('😀a', 1)).toBe(2)
  expect(frameCut('abc', 2)).toBe(2)
})

test('clarify choices are trimmed, unique, at most four', () => {
  expect(clarifyChoices([' a ', 'a', '', 'b', 'c', 'd', 'e', 7])).toEqual(['a', 'b', 'c', 'd'])
  expect(clarifyChoices(null)).toEqual([])
})
