/** Rows of the conversation list (contract dashboard.md 5.2, 5.3). Unknown fields are ignored, odd times are repaired. */
import * as z from 'zod/mini'

const Time = z.nullable(z.union([z.number(), z.string()]))
export const SessionRow = z.object({
  id: z.union([z.string(), z.number()]), title: z.optional(z.nullable(z.string())), preview: z.optional(z.nullable(z.string())), source: z.optional(z.nullable(z.string())),
  model: z.optional(z.nullable(z.string())), started_at: z.optional(Time), last_active: z.optional(Time), ended_at: z.optional(Time), message_count: z.optional(z.nullable(z.number())),
  archived: z.optional(z.unknown()), parent_session_id: z.optional(z.nullable(z.string())), cwd: z.optional(z.nullable(z.string())), git_branch: z.optional(z.nullable(z.string())), profile: z.optional(z.nullable(z.string())),
})

export type Session = { sessionId: string; title: string; preview: string; source: string; model: string; startedAtMs: number; activeAtMs: number; messageCount: number; archived: boolean; cwd: string | null }

/** Epoch seconds, milliseconds, or ISO text, to ms; 0 when unknown. */
export function timeMs(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value > 1e12 ? value : value * 1_000
  if (typeof value === 'string') {
    const parsed = Date.parse(value)
    return Number.isNaN(parsed) ? 0 : parsed
  }
  return 0
}

/** Reads the list in any of its envelopes; the first row of an id wins (dashboard.md 5.3). */
export function parseSessionList(body: unknown): Session[] {
  const holder = body as Record<string, unknown> | null
  const raw = Array.isArray(body) ? body : [holder?.['sessions'], holder?.['items'], holder?.['data']].find(Array.isArray) ?? []
  const seen = new Map<string, Session>()
  for (const item of raw as unknown[]) {
    const row = SessionRow.safeParse(item)
    if (!row.success) continue
    const session = fromRow(row.data)
    if (!seen.has(session.sessionId)) seen.set(session.sessionId, session)
  }
  return [...seen.values()].sort((a, b) => b.activeAtMs - a.activeAtMs)
}

function fromRow(row: z.infer<typeof SessionRow>): Session {
  const startedAtMs = timeMs(row.started_at)
  return {
    sessionId: String(row.id), title: row.title ?? '', preview: row.preview ?? '', source: row.source ?? '', model: row.model ?? '', startedAtMs,
    activeAtMs: timeMs(row.last_active) || startedAtMs, messageCount: row.message_count ?? 0, archived: Boolean(row.archived) && row.archived !== '0', cwd: row.cwd ?? null,
  }
}
