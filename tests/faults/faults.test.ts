/** Fault schedules (lease.md 6): whatever breaks in whichever moment, no word is lost, doubled or misattributed. */
import { expect, test } from 'vitest'
import { allPairs, printFailure, runSeeds } from './run-seeds.ts'

const SEEDS = 2_000
/** Seeds that failed once stay here forever. */
const FAILED_ONCE: readonly number[] = []

test('the invariants hold in every schedule, and the schedules hit every pair of fault and moment', { timeout: 600_000 }, async () => {
  const report = await runSeeds(1, Number(process.env['FAULT_SEEDS'] ?? SEEDS))
  expect(report.failures.map(printFailure)).toEqual([])
  const rare = allPairs().filter((pair) => (report.pairs.get(pair) ?? 0) < report.seeds * 0.05)
  expect(rare.map((pair) => `${pair}: ${report.pairs.get(pair) ?? 0} of ${report.seeds}`)).toEqual([])
})

test('schedules that failed once', { timeout: 60_000 }, async () => {
  for (const seed of FAILED_ONCE) expect((await runSeeds(seed, 1)).failures.map(printFailure)).toEqual([])
})
