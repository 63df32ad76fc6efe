/** The fake, and what a browser without storage gets: it lives as long as the tab. */
import type { KeyedRules, KeyedStore } from './keyed-store.ts'

export function createMemoryKeyedStore<Value>({ parse, keepMax }: KeyedRules<Value>): KeyedStore<Value> {
  const rows = new Map<string, unknown>()
  const keys = (): string[] => [...rows.keys()].sort()
  return {
    get: async (key) => (rows.has(key) ? parse(rows.get(key)) : null),
    async put(key, value) {
      rows.set(key, structuredClone(value))
      if (keepMax !== null) for (const old of keys().filter((other) => other !== key).slice(0, Math.max(0, rows.size - keepMax))) rows.delete(old)
    },
    async change(key, by) { const value = rows.has(key) ? parse(rows.get(key)) : null; if (value !== null) rows.set(key, structuredClone(by(value))) },
    remove: async (key) => { rows.delete(key) },
    all: async () => keys().flatMap((key) => { const value = parse(rows.get(key)); return value === null ? [] : [value] }),
  }
}
