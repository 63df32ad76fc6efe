import { expect, test } from 'vitest'
import { PAGES_MAX, RowReader } from './row-reader.ts'
import type { UpstreamAnswer, UpstreamTransport } from './upstream-transport.ts'

/** A dashboard of 0.19.0: oldest first, offset from the start. */
function dashboard(ids: number[], overrides: { status?: number } = {}) {
  const asked: string[] = []
  const transport: UpstreamTransport = {
    kind: 'dashboard', isDemo: false, close: () => {}, openGateway: () => ({ send: () => {}, close: () => {} }),
    request: async ({ path }): Promise<UpstreamAnswer> => {
      asked.push(path)
      const answer = (status: number, body: unknown): UpstreamAnswer => ({ kind: 'answer', status, contentType: 'application/json', body: JSON.stringify(body), retryAfterS: null })
      if (overrides.status) return answer(overrides.status, { detail: 'Session not found' })
      if (!path.includes('/messages')) return answer(200, { id: 's', message_count: ids.length })
      const url = new URL(path, 'http://x')
      const [limit, offset] = [Number(url.searchParams.get('limit')), Number(url.searchParams.get('offset'))]
      const page = ids.slice(offset, offset + limit)
      return answer(200, { session_id: 's', messages: page.map((id) => ({ id, role: 'user', content: `${id}` })), pagination: { limit, offset, returned: page.length } })
    },
  }
  return { asked, reader: new RowReader(transport) }
}
const range = (n: number, from = 1) => Array.from({ length: n }, (_, i) => i + from)
const ids = (read: Awaited<ReturnType<RowReader['read']>>) => (read.kind === 'rows' ? read.rows.map((r) => r.id) : read.kind)

test('only the end of a long conversation is read to learn where it ends', async () => {
  const { asked, reader } = dashboard(range(15_000))
  expect(ids(await reader.read('s', null, null)).at(-1)).toBe(15_000)
  expect(asked.filter((path) => path.includes('/messages'))).toHaveLength(1)
})

test('rows after a known one, with one request', async () => {
  const known = range(1_000)
  const { asked, reader } = dashboard(known)
  await reader.read('s', null, null)
  known.push(1_001, 1_002)
  asked.length = 0
  expect(ids(await reader.read('s', null, 1_000))).toEqual([1_001, 1_002])
  expect(asked).toHaveLength(1)
})

test('ids of a conversation have holes: other conversations share the numbers', async () => {
  const { reader } = dashboard([376, 377, 901, 902])
  expect(ids(await reader.read('s', null, 377))).toEqual([901, 902])
})

test('a conversation that became shorter is read from further back', async () => {
  const known = range(1_200)
  const { reader } = dashboard(known)
  await reader.read('s', null, null)
  known.splice(100)
  expect(ids(await reader.read('s', null, 98))).toEqual([99, 100])
})

test('a long tail is found and read whole', async () => {
  const { asked, reader } = dashboard(range(20_000))
  const read = await reader.read('s', null, 4_000)
  expect(read.kind === 'rows' && [read.rows.length, read.rows[0]?.id, read.rows.at(-1)?.id]).toEqual([16_000, 4_001, 20_000])
  expect(asked.length).toBeLessThanOrEqual(PAGES_MAX)
})

test('a tail beyond the bound of pages is failed, not cut', async () => {
  const { asked, reader } = dashboard(range(40_000))
  expect((await reader.read('s', null, 0)).kind).toBe('failed')
  expect(asked.length).toBeLessThanOrEqual(PAGES_MAX + 1)
})

test.each([[404, 'absent'], [500, 'failed'], [503, 'failed']])('status %s is %s, never an empty conversation', async (status, kind) => {
  expect((await dashboard([], { status }).reader.read('s', null, null)).kind).toBe(kind)
})
