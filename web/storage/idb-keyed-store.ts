/** One object store of the page's IndexedDB. Rows of another version that cannot be read are left out, never thrown. */
import { type IDBPDatabase, openDB } from 'idb'
import type { KeyedRules, KeyedStore } from './keyed-store.ts'

export const STORE_NAMES = ['devices', 'drafts', 'outbox', 'settings'] as const
export type StoreName = (typeof STORE_NAMES)[number]

/** 2: transcripts in chunks (transcript-repo). */
const DATABASE_VERSION = 2

/** Opens the database; rejects where the browser forbids storage. */
export const openPageDatabase = (name = 'hermes-relay'): Promise<IDBPDatabase> => openDB(name, DATABASE_VERSION, {
  upgrade(db) {
    for (const store of [...STORE_NAMES, 'heads', 'chunks']) if (!db.objectStoreNames.contains(store)) db.createObjectStore(store)
    if (db.objectStoreNames.contains('transcripts')) db.deleteObjectStore('transcripts') // Of version 1: a cache, read anew.
  },
  blocking(_from, _to, event) { (event.target as IDBDatabase).close() }, // A newer page waits to upgrade.
})

export function createIdbKeyedStore<Value>(open: () => Promise<IDBPDatabase>, name: StoreName, { parse, keepMax }: KeyedRules<Value>): KeyedStore<Value> {
  return {
    async get(key) {
      const raw: unknown = await (await open()).get(name, key)
      return raw === undefined ? null : parse(raw)
    },
    async put(key, value) {
      const tx = (await open()).transaction(name, 'readwrite')
      await tx.store.put(value, key)
      if (keepMax !== null) {
        const keys = await tx.store.getAllKeys()
        for (const old of keys.filter((other) => other !== key).slice(0, Math.max(0, keys.length - keepMax))) await tx.store.delete(old)
      }
      await tx.done // Durable only now; a quota failure rejects here.
    },
    async change(key, by) {
      const tx = (await open()).transaction(name, 'readwrite')
      const raw: unknown = await tx.store.get(key)
      const value = raw === undefined ? null : parse(raw)
      if (value !== null) await tx.store.put(by(value), key)
      await tx.done
    },
    async remove(key) { await (await open()).delete(name, key) },
    async all() {
      const raws: unknown[] = await (await open()).getAll(name)
      return raws.flatMap((raw) => { const value = parse(raw); return value === null ? [] : [value] })
    },
  }
}
