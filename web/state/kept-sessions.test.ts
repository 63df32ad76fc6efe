import { expect, test } from 'vitest'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { createMemoryKeyedStore } from '#web/storage/memory-keyed-store.ts'
import { createKeptSessions, SESSIONS_KEPT_MAX } from './kept-sessions.ts'

const row = (n: number): Session => ({ sessionId: `s${n}`, title: `t${n}`, preview: '', source: 'cli', model: '', startedAtMs: 1, activeAtMs: n, messageCount: 1, archived: false, cwd: null })
const store = () => createMemoryKeyedStore<{ value?: unknown }>({ keepMax: null, parse: (raw) => raw as { value?: unknown } }) as never

test('what was read last is there at the next start, at most SESSIONS_KEPT_MAX', async () => {
  const settings = store()
  const first = createKeptSessions({ settings })
  await first.loaded
  expect(first.kept()).toBeNull()
  first.keep(Array.from({ length: SESSIONS_KEPT_MAX + 1 }, (_, n) => row(n)))
  await Promise.resolve()
  const second = createKeptSessions({ settings })
  await second.loaded
  expect(second.kept()?.length).toBe(SESSIONS_KEPT_MAX)
  expect(second.kept()?.[0]).toEqual(row(0))
})
test('rows of another version are left out', async () => {
  const settings = store() as { put(key: string, value: unknown): Promise<void> }
  await settings.put('sessionList', { value: [{ sessionId: 7 }, row(1), null] })
  const kept = createKeptSessions({ settings: settings as never })
  await kept.loaded
  expect(kept.kept()).toEqual([row(1)])
})
