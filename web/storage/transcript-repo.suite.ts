/** What every keeper of transcripts does. */
import { expect, test } from 'vitest'
import { type Chunk, CHUNKS_MAX, type TranscriptRepo, TRANSCRIPTS_MAX } from './transcript-repo.ts'

const chunk = (n: number, raw = 100): Chunk => ({ n, raw, rows: Array.from({ length: raw }, (_, at) => ({ id: n * 100 + at + 1, role: 'user', content: `row ${n * 100 + at}` })) })

export function transcriptRepoSuite(create: () => TranscriptRepo): void {
  test('opens at the end, reads a range, and knows nothing of others', async () => {
    const repo = create()
    await repo.put({ session: 's', count: 250, usedAtMs: 1 }, [chunk(0), chunk(1), chunk(2, 50)])
    expect(await repo.open('s')).toEqual({ head: { session: 's', count: 250, usedAtMs: 1 }, last: chunk(2, 50) })
    expect((await repo.chunks('s', 0, 1)).map((one) => one.n)).toEqual([0, 1])
    expect(await repo.open('s2')).toBeNull()
    expect(await repo.chunks('s2', 0, 9)).toEqual([])
  })
  test('a conversation that became shorter loses what lies behind its end', async () => {
    const repo = create()
    await repo.put({ session: 's', count: 250, usedAtMs: 1 }, [chunk(0), chunk(1), chunk(2, 50)])
    await repo.put({ session: 's', count: 120, usedAtMs: 2 }, [chunk(1, 20)])
    expect((await repo.chunks('s', 0, 9)).map((one) => [one.n, one.raw])).toEqual([[0, 100], [1, 20]])
    expect((await repo.open('s'))?.last.raw).toBe(20)
  })
  test('a missing last chunk reads as nothing kept', async () => {
    const repo = create()
    await repo.put({ session: 's', count: 250, usedAtMs: 1 }, [chunk(0)])
    expect(await repo.open('s')).toBeNull()
  })
  test('the ones read longest ago fall out, and the oldest can be asked away', async () => {
    const repo = create()
    for (let n = 0; n <= TRANSCRIPTS_MAX; n += 1) await repo.put({ session: `s${n}`, count: 1, usedAtMs: n }, [chunk(0, 1)])
    expect(await repo.open('s0')).toBeNull()
    expect(await repo.open('s1')).not.toBeNull()
    expect(await repo.dropOldest('s1')).toBe(true)
    expect([await repo.open('s1') !== null, await repo.open('s2')]).toEqual([true, null])
    await repo.drop('s1')
    expect(await repo.open('s1')).toBeNull()
  })
  test('there is an end to one conversation', async () => {
    const repo = create()
    await repo.put({ session: 's', count: 100 * (CHUNKS_MAX + 1), usedAtMs: 1 }, [chunk(CHUNKS_MAX - 1), chunk(CHUNKS_MAX)])
    expect((await repo.chunks('s', 0, CHUNKS_MAX + 1)).map((one) => one.n)).toEqual([CHUNKS_MAX - 1])
  })
}
