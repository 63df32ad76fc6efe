import { expect, test } from 'vitest'
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import type { UpstreamAnswer, UpstreamTransport } from '../lease/upstream-transport.ts'
import { createHermesWatch, WATCH_ABSENT_MS, WATCH_EVERY_MS } from './hermes-watch.ts'

test('everybody is told when Hermes comes, goes, or is another version; not again while nothing changes', async () => {
  const clock = createVirtualClock()
  let status: string | null = null
  const transport: UpstreamTransport = {
    kind: 'dashboard', isDemo: false, close: () => {}, openGateway: () => ({ send: () => {}, close: () => {} }),
    request: async (): Promise<UpstreamAnswer> => (status === null ? { kind: 'unreachable', reason: 'refused' } : { kind: 'answer', status: 200, contentType: 'application/json', body: status, retryAfterS: null }),
  }
  const told: HermesFacts[] = []
  const watch = createHermesWatch(transport, clock, (facts) => told.push(facts))
  expect(await watch.look()).toMatchObject({ ready: false })
  expect(told).toEqual([])
  status = '{"version":"0.19.0"}'
  await clock.advance(WATCH_ABSENT_MS)
  await clock.advance(WATCH_EVERY_MS)
  expect(told).toEqual([{ kind: 'dashboard', ready: true, version: '0.19.0', demo: false }])
  status = '{"version":"0.20.0"}'
  await clock.advance(WATCH_EVERY_MS)
  status = null
  await clock.advance(WATCH_EVERY_MS)
  expect(told.slice(1).map(({ ready, version }) => [ready, version])).toEqual([[true, '0.20.0'], [false, '0.20.0']])
  watch.stop()
  expect(clock.pending()).toBe(0)
})
