/** The schedules prove themselves: every invariant is seen to fail on a bug that was put in, within 500 seeds (lease.md 6). */
import { expect, test } from 'vitest'
import { RING_BYTES_MAX, STUB_BYTES_MAX } from '#relay/lease/event-stream.ts'
import type { FakeJournal } from '#relay/lease/journal.fake.ts'
import { RowReader, type RowsRead } from '#relay/lease/row-reader.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { type Injected, LOOKED_AT } from './fault-world.ts'
import { runSeeds } from './run-seeds.ts'

const SEEDS_MAX = 500

/** Does not look for the row of a message that is in doubt: it always seems absent. */
class BlindReader extends RowReader {
  readonly #journal: FakeJournal
  constructor(transport: UpstreamTransport, journal: FakeJournal) {
    super(transport)
    this.#journal = journal
  }
  override async read(storedId: string, profile: string | null, after: number | null): Promise<RowsRead> {
    const read = await super.read(storedId, profile, after)
    const doubted = [...this.#journal.messages.values()].some((m) => m.state === 'checking')
    return doubted && read.kind === 'rows' ? { ...read, rows: [] } : read
  }
}

/** Reads the history, but never its last row. */
class ShortReader extends RowReader {
  override async read(storedId: string, profile: string | null, after: number | null): Promise<RowsRead> {
    const read = await super.read(storedId, profile, after)
    return read.kind === 'rows' ? { ...read, rows: read.rows.filter((row) => row.role === 'user') } : read
  }
}

const doubled = (method: string) => (direction: 'in' | 'out', text: string): string[] => (direction === 'out' && text.includes(`"${method}"`) ? [text, text.replace(/"id":\d+/, '"id":999999')] : [text])
const rpc = (method: string, params: Record<string, unknown>): string => JSON.stringify({ jsonrpc: '2.0', id: 999_998, method, params })

let answersSent = 0
const BUGS: { name: string; finds: RegExp; injected: Injected }[] = [
  { name: 'resends without looking for the row', finds: /^I1/, injected: { rows: (transport, journal) => new BlindReader(transport, journal) } },
  {
    name: 'forgets to write down that a message was confirmed', finds: /^I2/,
    injected: {
      journal: (journal) => {
        const save = journal.saveMessage.bind(journal)
        journal.saveMessage = (m) => (m.state === 'confirmed' ? Promise.resolve() : save(m))
      },
    },
  },
  {
    name: 'gives up on a message that it never looks for', finds: /^I3/,
    injected: { rows: (transport, journal) => new BlindReader(transport, journal) },
  },
  { name: 'believes Hermes idle while it works', finds: /^I4/, injected: { upstream: (direction, text) => [direction === 'in' ? text.replaceAll('"status":"working"', '"status":"idle"').replaceAll('"status":"starting"', '"status":"idle"') : text] } },
  { name: 'interrupts when it comes back', finds: /^I5/, injected: { upstream: (direction, text) => (direction === 'out' && text.includes('"session.activate"') ? [text, text.replace('session.activate', 'session.interrupt')] : [text]) } },
  {
    name: 'gives another answer when it repeats one', finds: /^I6/,
    injected: {
      upstream: (direction, text) => {
        if (direction !== 'out' || !text.includes('"clarify.respond"')) return [text]
        answersSent += 1
        return [text, text.replace(/"answer":"[^"]*"/, `"answer":"changed ${answersSent}"`).replace(/"id":\d+/, '"id":999997')]
      },
    },
  },
  { name: 'one epoch for every life of the relay', finds: /^I7/, injected: { chance: (inner) => ({ ...inner, uuid: () => 'the-same-epoch' }) } },
  {
    name: 'a ring that is off by one', finds: /^I7/,
    injected: { tamper: (frame) => (frame.type === 'live.events' ? { ...frame, payload: { ...frame.payload, events: frame.payload.events.slice(1) } } : frame) },
  },
  { name: 'never tells that the history grew', finds: /^I8/, injected: { rows: (transport) => new ShortReader(transport) } },
  {
    name: 'resumes what is only looked at', finds: /^I9/,
    injected: {
      upstream: (direction, text) => (direction === 'out' && text.includes('"session.active_list"') ? [text, rpc('session.resume', { session_id: LOOKED_AT })] : [text]),
    },
  },
  { name: 'activates again and again', finds: /^I10/, injected: { upstream: (direction, text) => (direction === 'out' && text.includes('"session.activate"') ? [text, ...doubled('session.activate')(direction, text), text.replace(/"id":\d+/, '"id":999996')] : [text]) } },
  { name: 'keeps more than its bound', finds: /^I11/, injected: { ringBytes: RING_BYTES_MAX + STUB_BYTES_MAX } },
  {
    name: 'believes Hermes at work for ever', finds: /^I12/,
    injected: {
      upstream: (direction, text) => {
        if (direction === 'out') return [text]
        if (/"type":"(message\.complete|session\.info)"/.test(text)) return []
        return [text.replaceAll('"status":"idle"', '"status":"working"')]
      },
    },
  },
]

test.each(BUGS)('a bug is found: $name', { timeout: 300_000 }, async ({ finds, injected }) => {
  const broken: string[] = []
  for (let seed = 1; seed <= SEEDS_MAX && !broken.some((one) => finds.test(one)); seed += 1) {
    const report = await runSeeds(seed, 1, { injected })
    broken.push(...report.failures.flatMap((failure) => failure.broken))
  }
  expect(broken.filter((one) => finds.test(one)).length).toBeGreaterThan(0)
})
