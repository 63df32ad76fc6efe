/** A small table of this browser: text keys, bounded count. A failure is a rejection that the caller shows; nothing is dropped in silence. */
export type KeyedStore<Value> = {
  get(key: string): Promise<Value | null>
  put(key: string, value: Value): Promise<void>
  /** Reads and writes in one step, so that what another tab writes meanwhile is not undone. A key without a value stays so. */
  change(key: string, by: (value: Value) => Value): Promise<void>
  remove(key: string): Promise<void>
  /** In the order of their keys. */
  all(): Promise<Value[]>
}

/** `keepMax`: beyond it the smallest keys fall out; `null` for data that must never fall out. */
export type KeyedRules<Value> = { parse: (raw: unknown) => Value | null; keepMax: number | null }
