import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MERGE_CHARS_MAX } from '#protocol/live/live-frame.ts'
import { DeltaHold, isDelta } from './delta-hold.ts'
import type { LeaseInput } from './lease-state.ts'

const words = (kind: 'text' | 'reasoning', text: string): LeaseInput => ({ kind: 'fact', fact: { kind: 'turn', event: { kind, text } } })
const other: LeaseInput = { kind: 'fact', fact: { kind: 'turn', event: { kind: 'started' } } }

/** What came, with neighbouring words of one kind as one. */
function flat(inputs: readonly LeaseInput[]): string[] {
  const out: { kind: string; text: string }[] = []
  for (const input of inputs) {
    const piece = isDelta(input) ? { ...input.fact.event } : { kind: 'other', text: '' }
    const last = out.at(-1)
    if (last?.kind === piece.kind && piece.kind !== 'other') last.text += piece.text
    else out.push(piece)
  }
  return out.map(({ kind, text }) => `${kind}:${text}`)
}

test('words keep their order among themselves and with everything else; none is lost, none waits beyond the read it came with', async () => {
  const input = fc.oneof(fc.tuple(fc.constantFrom('text' as const, 'reasoning' as const), fc.string({ maxLength: 2_000 })).map(([kind, text]) => words(kind, text)), fc.constant(other))
  await fc.assert(fc.asyncProperty(fc.array(fc.array(input, { maxLength: 20 }), { maxLength: 8 }), async (reads) => {
    const out: LeaseInput[] = []
    const hold = new DeltaHold((done) => out.push(done))
    for (const read of reads) {
      for (const one of read) if (!hold.take(one)) out.push(one)
      await Promise.resolve()
      expect(out.filter((one) => !isDelta(one)).length).toBe(reads.slice(0, reads.indexOf(read) + 1).flat().filter((one) => !isDelta(one)).length)
    }
    expect(flat(out)).toEqual(flat(reads.flat()))
  }), { seed: 20_261_201, numRuns: 100 })
})

test('five hundred frames of one read are a few steps; MERGE_CHARS_MAX bounds what waits', async () => {
  const out: LeaseInput[] = []
  const hold = new DeltaHold((done) => out.push(done))
  for (let n = 0; n < 500; n += 1) hold.take(words('text', 'x'.repeat(20)))
  expect(out.length).toBe(Math.floor(10_000 / MERGE_CHARS_MAX))
  await Promise.resolve()
  expect(flat(out)).toEqual([`text:${'x'.repeat(10_000)}`])
  expect(out.length).toBe(Math.ceil(10_000 / MERGE_CHARS_MAX))
})
