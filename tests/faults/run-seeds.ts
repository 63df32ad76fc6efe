/** Runs schedules by their seeds and collects what broke, and which pairs of fault and moment were hit. */
import { FAULTS, makeSchedule, PHASES, type Schedule } from './fault-schedule.ts'
import { FaultWorld, type Injected } from './fault-world.ts'
import { brokenInvariants } from './invariants.ts'

export type SeedFailure = { seed: number; broken: string[]; schedule: Schedule }
export type Report = { seeds: number; failures: SeedFailure[]; pairs: Map<string, number>; confirmed: number; sent: number }

export async function runSchedule(schedule: Schedule, injected: Injected = {}): Promise<{ broken: string[]; world: FaultWorld }> {
  const world = new FaultWorld(schedule, injected)
  await world.run()
  const broken = brokenInvariants(world)
  world.relay.kill()
  return { broken, world }
}

/** `failuresMax`: stops early, so that a broken build does not run for hours. */
export async function runSeeds(from: number, count: number, options: { injected?: Injected; failuresMax?: number } = {}): Promise<Report> {
  const report: Report = { seeds: 0, failures: [], pairs: new Map(), confirmed: 0, sent: 0 }
  for (let seed = from; seed < from + count; seed += 1) {
    const schedule = makeSchedule(seed)
    const { broken, world } = await runSchedule(schedule, options.injected)
    report.seeds += 1
    report.sent += world.sent.size
    report.confirmed += [...world.relay.journal.messages.values()].filter((m) => m.state === 'confirmed').length
    for (const pair of new Set(world.hits.map((hit) => `${hit.fault}/${hit.phase}`))) report.pairs.set(pair, (report.pairs.get(pair) ?? 0) + 1)
    if (broken.length > 0) report.failures.push({ seed, broken, schedule })
    if (report.failures.length >= (options.failuresMax ?? 5)) break
  }
  return report
}

export const allPairs = (): string[] => FAULTS.flatMap((fault) => PHASES.map((phase) => `${fault}/${phase}`))
export const printFailure = (failure: SeedFailure): string => `seed ${failure.seed}: ${failure.broken.join('; ')}\nreplay: ${JSON.stringify(failure.schedule)}`
