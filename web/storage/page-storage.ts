/** Everything that this browser keeps: who it is, drafts, unsent messages, the last transcripts. Parsed at the door like any input. */
import type { IDBPDatabase } from 'idb'
import * as z from 'zod/mini'
import { NewChatOptions } from '#protocol/live/live-frame.ts'
import { HermesFacts } from '#protocol/system/system-frame.ts'
import { createIdbKeyedStore, openPageDatabase, type StoreName } from './idb-keyed-store.ts'
import type { KeyedRules, KeyedStore } from './keyed-store.ts'
import { createMemoryKeyedStore } from './memory-keyed-store.ts'
import { createTidier, withRoom } from './quota.ts'
import { createIdbTranscripts, createMemoryTranscripts, type TranscriptRepo } from './transcript-repo.ts'

/** This browser as a device of one relay; the key is the relay's base URL. */
export const DeviceRecord = z.object({
  base: z.string(), sessionToken: z.string(), refreshToken: z.nullable(z.string()), deviceId: z.string(), deviceName: z.string(), hostName: z.string(),
  expiresAtMs: z.nullable(z.number()), grants: z.array(z.string()), welcomed: z.boolean(),
  /** What the relay last said of its agent, for a start without the relay. */
  hermes: z.optional(HermesFacts),
})
export type DeviceRecord = z.infer<typeof DeviceRecord>
const Draft = z.object({ session: z.string(), text: z.string() })
const OutboxRow = z.object({ clientMsgId: z.string(), session: z.string(), text: z.string(), options: z.nullable(NewChatOptions), atMs: z.number() })
const Setting = z.object({ value: z.unknown() })

export type PageStorage = {
  /** False in private modes that forbid storage: drafts live as long as the tab, messages are not taken from the composer. */
  durable: boolean
  devices: KeyedStore<DeviceRecord>
  drafts: KeyedStore<z.infer<typeof Draft>>
  outbox: KeyedStore<z.infer<typeof OutboxRow>>
  transcripts: TranscriptRepo
  settings: KeyedStore<z.infer<typeof Setting>>
}

const rules = <Schema extends z.core.$ZodType>(schema: Schema, keepMax: number | null): KeyedRules<z.core.output<Schema>> => ({
  keepMax, parse: (raw) => { const parsed = z.safeParse(schema, raw); return parsed.success ? parsed.data : null },
})

export async function createPageStorage(openDatabase: () => Promise<IDBPDatabase> = openPageDatabase): Promise<PageStorage> {
  let db: IDBPDatabase | null = null
  try {
    db = await openDatabase()
  } catch {
    db = null
  }
  let opened = db
  const open = async (): Promise<IDBPDatabase> => {
    if (opened && !isClosed(opened)) return opened
    opened = await openDatabase()
    return opened
  }
  const transcripts = db ? createIdbTranscripts(open) : createMemoryTranscripts()
  const evict = (keep: string | null) => () => transcripts.dropOldest(keep)
  const tidy = createTidier(async () => (await navigator.storage?.estimate?.()) ?? {}, evict(null), Date.now)
  const store = <Value>(name: StoreName, r: KeyedRules<Value>): KeyedStore<Value> => {
    if (!db) return createMemoryKeyedStore(r)
    const plain = createIdbKeyedStore(open, name, r)
    return { ...plain, put: (key, value) => withRoom(() => plain.put(key, value), evict(null)) }
  }
  const outbox = store('outbox', rules(OutboxRow, null))
  return {
    durable: db !== null,
    devices: store('devices', rules(DeviceRecord, null)), drafts: store('drafts', rules(Draft, null)),
    // A message that only lives in memory is not safe: the composer keeps it instead.
    outbox: db ? outbox : { ...outbox, put: () => Promise.reject(new Error('this browser forbids storage')) },
    transcripts: {
      ...transcripts,
      async put(head, chunks) {
        await withRoom(() => transcripts.put(head, chunks), evict(head.session))
        await tidy().catch(() => undefined) // An estimate that cannot be had.
      },
    },
    settings: store('settings', rules(Setting, null)),
  }
}

/** A database that was closed for a newer page throws on use; the next use opens it again. */
function isClosed(db: IDBPDatabase): boolean {
  try {
    db.transaction('drafts')
    return false
  } catch {
    return true
  }
}
