import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { createIdbKeyedStore, openPageDatabase } from './idb-keyed-store.ts'
import { keyedStoreSuite } from './keyed-store.suite.ts'
import { createMemoryKeyedStore } from './memory-keyed-store.ts'
import { createPageStorage } from './page-storage.ts'

let databases = 0
describe('memory', () => keyedStoreSuite(createMemoryKeyedStore))
describe('IndexedDB', () => keyedStoreSuite((rules) => {
  const db = openPageDatabase(`test-${databases++}`)
  return createIdbKeyedStore(() => db, 'drafts', rules)
}))

test('a browser that forbids storage gets a memory that says so', async () => {
  const storage = await createPageStorage(() => Promise.reject(new Error('private mode')))
  expect(storage.durable).toBe(false)
  await expect(storage.outbox.put('a', { clientMsgId: 'a', session: 's', text: 't', options: null, atMs: 1 })).rejects.toThrow()
  await storage.drafts.put('s', { session: 's', text: 'kept for this tab' })
  expect((await storage.drafts.get('s'))?.text).toBe('kept for this tab')
})
