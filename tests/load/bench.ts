/** `npm run bench [-- NAME...]`: measured figures with their budgets. Prints a table, writes JSON; exits 1 when a budget is not kept. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { allPairs, printFailure, runSeeds } from '../faults/run-seeds.ts'
import { type Figure, figureLine, figuresJson, isKept } from './figures.ts'
import { startFlood } from './flood-upstream.ts'
import { firstScreen, flood, longConversation, longList } from './page-bench.ts'
import { connect, type ReadyLine, startRelay } from './relay-process.ts'


/**
 * One turn of 20,000 tokens through a relay process: its CPU (all threads), and the frames that a page gets for it. Paced over ten
 * seconds it costs more: a thousand wake-ups, and five hundred frames to the page instead of forty.
 */
async function turn(rate: number): Promise<Figure[]> {
  const flood = await startFlood()
  const relay = await startRelay(['--hermes', flood.url])
  let frames = 0
  const client = await connect(relay.ready, { pairing_code: relay.ready.claimCode }, { keep: false, onFrame: () => { frames += 1 } })
  const session = 'draft:bench-turn'
  client.say('live', 'live.attach', { session })
  await client.until((frame) => frame.type === 'live.snapshot')
  await wait(1_000)
  const ended = client.until((frame) => frame.type === 'live.event' && JSON.stringify(frame.payload).includes('"kind":"ended"'), 60_000)
  const before = relay.cpuS()
  frames = 0
  client.say('live', 'live.submit', { session, client_msg_id: 'bench-message', text: `flood 20000 ${rate}` })
  await ended
  const pace = rate === 0 ? 'at full speed' : `at ${rate} a second`
  const figures = [
    { name: `relay CPU for 20,000 tokens ${pace}`, values: [relay.cpuS() - before], unit: 's', max: rate === 0 ? 1 : 2 },
    { name: `frames to the page for them ${pace}`, values: [frames], unit: '', max: 1_500 },
  ]
  client.close()
  await relay.stop()
  flood.close()
  return figures
}

/** A relay with 20 leases that nothing happens in. */
async function idle(): Promise<Figure[]> {
  const flood = await startFlood()
  const relay = await startRelay(['--hermes', flood.url])
  const client = await connect(relay.ready, { pairing_code: relay.ready.claimCode })
  for (let n = 0; n < 20; n += 1) {
    const session = `draft:bench-${String(n).padStart(8, '0')}`
    client.say('live', 'live.attach', { session })
    client.say('live', 'live.submit', { session, client_msg_id: `bench-message-${n}`, text: `flood 200 0 #${n}` })
  }
  await wait(12_000)
  const cpu = relay.cpuS()
  await wait(5_000)
  const figures = [
    { name: 'relay memory with 20 leases, idle', values: [relay.rssMb()], unit: 'MB', max: 100 },
    { name: 'relay CPU of 5 idle seconds', values: [relay.cpuS() - cpu], unit: 's', max: 0.15 },
  ]
  client.close()
  await relay.stop()
  flood.close()
  return figures
}

/** From the command to the ready line, everything built. */
async function warmStart(): Promise<Figure[]> {
  const times: number[] = []
  for (let n = 0; n < 5; n += 1) {
    const startedMs = performance.now()
    const child = spawn(process.execPath, ['scripts/start.mjs', '--json', '--hermes', 'embedded', '--port', '0', '--data-dir', `.cache/bench-data-${n}`], { stdio: ['ignore', 'pipe', 'ignore'] })
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    times.push(performance.now() - startedMs)
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return [{ name: 'warm start', values: times.map((ms) => ms / 1_000), unit: 's', max: 2 }]
}

/** P7: a page whose network comes back, in the middle of a turn, until it has the true transcript. */
async function recovery(): Promise<Figure[]> {
  const flood = await startFlood()
  const relay = await startRelay(['--hermes', flood.url])
  const first = await connect(relay.ready, { pairing_code: relay.ready.claimCode })
  const session = 'draft:bench-recovery'
  first.say('live', 'live.attach', { session })
  first.say('live', 'live.submit', { session, client_msg_id: 'bench-message', text: 'flood 20000 2000' })
  await wait(4_000)
  first.close()
  const times: number[] = []
  for (let n = 0; n < 10; n += 1) {
    await wait(200)
    times.push(await timeBack(relay.ready, first.token, session))
  }
  await relay.stop()
  flood.close()
  return [{ name: 'network back to true transcript (P7)', values: times.map((ms) => ms / 1_000), unit: 's', max: 0.5 }]
}

async function timeBack(ready: ReadyLine, token: string, session: string): Promise<number> {
  const startedMs = performance.now()
  const client = await connect(ready, { session_token: token })
  client.say('live', 'live.attach', { session })
  await client.until((frame) => frame.type === 'live.snapshot')
  const tookMs = performance.now() - startedMs
  client.close()
  return tookMs
}

/** `bench -- faults`: ten times the seeds of the test, other ones. */
async function faults(): Promise<Figure[]> {
  const report = await runSeeds(100_000, 20_000)
  for (const failure of report.failures) process.stdout.write(`${printFailure(failure)}\n`)
  const rare = allPairs().filter((pair) => (report.pairs.get(pair) ?? 0) < report.seeds * 0.05)
  process.stdout.write(`${report.seeds} seeds, ${report.sent} messages, ${report.confirmed} confirmed; rarest pairs: ${rare.join(', ') || 'all above 5 %'}\n`)
  return [{ name: 'schedules that broke an invariant', values: [report.failures.length], unit: '', max: 0 }]
}

/** Figures of a process are taken five times, each with a relay of its own. */
async function repeated(measure: () => Promise<Figure[]>): Promise<Figure[]> {
  const runs: Figure[][] = []
  for (let n = 0; n < 5; n += 1) runs.push(await measure())
  return (runs[0] ?? []).map((figure, at) => ({ ...figure, values: runs.flatMap((run) => run[at]?.values ?? []) }))
}

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  'first-screen': firstScreen, 'long-conversation': longConversation, flood, 'long-list': longList,
  'turn-full': () => repeated(() => turn(0)), 'turn-paced': () => repeated(() => turn(2_000)), idle, start: warmStart, recovery, faults,
}
const wanted = process.argv.slice(2)
const names = wanted.length > 0 ? wanted : Object.keys(BENCHES).filter((name) => name !== 'faults')
const figures: Figure[] = []
for (const name of names) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`no such benchmark: ${name}; there are ${Object.keys(BENCHES).join(', ')}`)
  for (const figure of await bench()) {
    figures.push(figure)
    process.stdout.write(`${figureLine(figure)}\n`)
  }
}
mkdirSync('.cache', { recursive: true })
writeFileSync('.cache/bench.json', figuresJson(figures))
process.stdout.write('The same as JSON: .cache/bench.json\n')
process.exit(figures.every(isKept) ? 0 : 1)
