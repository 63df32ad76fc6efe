import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { expect, test } from 'vitest'
import { createPageStorage } from './page-storage.ts'
import { createTidier, EVICTIONS_MAX, isTight, withRoom } from './quota.ts'

const full = (): never => { throw new DOMException('full', 'QuotaExceededError') }

test('a write that does not fit gives up transcripts until it does', async () => {
  let tries = 0
  let evicted = 0
  expect(await withRoom(async () => (++tries < 4 ? full() : 'kept'), async () => { evicted += 1; return true })).toBe('kept')
  expect([tries, evicted]).toEqual([4, 3])
})
test('it ends when nothing is left to give up, after EVICTIONS_MAX, and at once for another failure', async () => {
  await expect(withRoom(async () => full(), async () => false)).rejects.toThrow('full')
  let evicted = 0
  await expect(withRoom(async () => full(), async () => { evicted += 1; return true })).rejects.toThrow('full')
  expect(evicted).toBe(EVICTIONS_MAX)
  await expect(withRoom(async () => { throw new Error('closed') }, async () => { evicted += 1; return true })).rejects.toThrow('closed')
  expect(evicted).toBe(EVICTIONS_MAX)
})
test('above 80 % room is made before the browser complains, and the estimate is read once a minute', async () => {
  expect([isTight({ usage: 80, quota: 100 }), isTight({ usage: 81, quota: 100 }), isTight({}), isTight({ usage: 1, quota: 0 })]).toEqual([false, true, false, false])
  let [usage, at, looks] = [90, 0, 0]
  const tidy = createTidier(async () => { looks += 1; return { usage, quota: 100 } }, async () => { usage -= 4; return true }, () => at)
  await tidy()
  expect([usage, looks]).toEqual([78, 4])
  await tidy()
  expect(looks).toBe(4)
  at = 60_000
  await tidy()
  expect(looks).toBe(5)
})
test('a draft that finds no room takes it from the oldest transcript; drafts, messages and devices stay', async () => {
  const storage = await createPageStorage()
  await storage.drafts.put('a', { session: 'a', text: 'first' })
  for (const [session, usedAtMs] of [['old', 1], ['new', 2]] as const) await storage.transcripts.put({ session, count: 1, usedAtMs }, [{ n: 0, raw: 1, rows: [] }])
  const put = IDBObjectStore.prototype.put
  let failures = 1
  IDBObjectStore.prototype.put = function (...args: Parameters<typeof put>) { return failures-- > 0 ? full() : put.apply(this, args) }
  try {
    await storage.drafts.put('b', { session: 'b', text: 'second' })
  } finally {
    IDBObjectStore.prototype.put = put
  }
  expect((await storage.drafts.all()).map((draft) => draft.text)).toEqual(['first', 'second'])
  expect([await storage.transcripts.open('old'), (await storage.transcripts.open('new'))?.head.session]).toEqual([null, 'new'])
  expect((await openDB('hermes-relay')).version).toBe(2)
})
