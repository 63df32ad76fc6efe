/** Which conversations changed since they were last open in this browser. Bounded: what was seen longest ago is forgotten, and then counts as seen until then. */
import * as z from 'zod/mini'

export const SEEN_MAX = 500
/** `sinceMs`: what happened before this browser began, or before what it forgot, is not news. Times are the server's. */
const Seen = z.object({ sinceMs: z.number(), atMs: z.array(z.tuple([z.string(), z.number()])) })
export type Seen = z.infer<typeof Seen>

export function parseSeen(raw: unknown): Seen | null {
  const parsed = Seen.safeParse(raw)
  return parsed.success ? bounded(parsed.data) : null
}

/** Rows at the end of `atMs` were seen last. */
export const markSeen = (seen: Seen, sessionId: string, activeAtMs: number): Seen =>
  bounded({ ...seen, atMs: [...seen.atMs.filter(([id]) => id !== sessionId), [sessionId, activeAtMs]] })

export const isNews = (seen: Seen, sessionId: string, activeAtMs: number): boolean => activeAtMs > (seen.atMs.find(([id]) => id === sessionId)?.[1] ?? seen.sinceMs)

function bounded(seen: Seen): Seen {
  const forgotten = seen.atMs.slice(0, Math.max(0, seen.atMs.length - SEEN_MAX))
  return { sinceMs: Math.max(seen.sinceMs, ...forgotten.map(([, atMs]) => atMs)), atMs: seen.atMs.slice(forgotten.length) }
}
