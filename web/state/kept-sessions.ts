/** The list of conversations as it was last seen, for a start without the relay. It is shown until the list is read, and says that it is old. */
import * as z from 'zod/mini'
import { createSignal } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'

/** Conversations kept; the most recent. */
export const SESSIONS_KEPT_MAX = 200
const KEY = 'sessionList'
const KeptSession = z.object({
  sessionId: z.string(), title: z.string(), preview: z.string(), source: z.string(), model: z.string(), startedAtMs: z.number(), activeAtMs: z.number(), messageCount: z.number(), archived: z.boolean(), cwd: z.nullable(z.string()),
})

/** What a browser kept of conversations; rows of another shape are left out. */
export const parseKeptSessions = (value: unknown, max: number): Session[] =>
  (Array.isArray(value) ? value.slice(0, max) : []).flatMap((raw): Session[] => { const one = z.safeParse(KeptSession, raw); return one.success ? [one.data] : [] })

export type KeptSessions = ReturnType<typeof createKeptSessions>

export function createKeptSessions({ settings }: Pick<PageStorage, 'settings'>) {
  const [kept, setKept] = createSignal<readonly Session[] | null>(null)
  let last = ''
  const loaded = settings.get(KEY).then((row) => {
    const rows = parseKeptSessions(row?.value, SESSIONS_KEPT_MAX)
    if (rows.length > 0) setKept(rows)
  }, () => undefined)
  return {
    kept, loaded,
    /** What was read; written only when it changed. A browser that keeps nothing has no list to show, that is all. */
    keep(rows: readonly Session[]): void {
      const value = rows.slice(0, SESSIONS_KEPT_MAX)
      const text = JSON.stringify(value)
      if (text === last) return
      last = text
      void settings.put(KEY, { value }).catch(() => undefined)
    },
  }
}
