/** The Hermes dashboard's REST as the relay's ingress passes it on. Parses at the door; knows no socket. */
import * as z from 'zod/mini'
import { type MessagePage, type MessageRow, parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { parseSearchHits, type SearchHit } from '#protocol/dashboard/search-hit.ts'
import { parseSessionList, type Session } from '#protocol/dashboard/session-row.ts'

/** Rows of one page of a transcript (contract gateway.md 13). */
export const ROWS_PER_PAGE = 500
/** Pages read in one go towards the end of a transcript. */
export const PAGES_MAX = 100
/** What the relay lets through of a search. */
export const SEARCH_CHARS_MAX = 512
export const SEARCH_HITS_MAX = 50

type Failure = { code: string; say: string; next: string }
export type Got<Value> = { ok: true; value: Value } | { ok: false; failure: Failure }
type Call = (path: string, init?: { method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; body?: unknown; keepalive?: boolean }) => Promise<{ ok: true; body: unknown } | { ok: false; failure: Failure }>

const ModelInfo = z.object({ model: z.optional(z.nullable(z.string())), provider: z.optional(z.nullable(z.string())) })
const Provider = z.object({
  slug: z.optional(z.string()), id: z.optional(z.string()), name: z.optional(z.string()), authenticated: z.optional(z.boolean()),
  models: z.optional(z.array(z.union([z.string(), z.object({ id: z.optional(z.string()), name: z.optional(z.string()) })]))),
})
const ModelOptions = z.object({ providers: z.optional(z.array(z.unknown())) })
const Approvals = z.object({ mode: z.optional(z.unknown()), timeout: z.optional(z.unknown()) })
const Config = z.object({ approvals: z.optional(Approvals), config: z.optional(z.object({ approvals: z.optional(Approvals) })) })

const Detail = z.object({ message_count: z.optional(z.nullable(z.number())), session: z.optional(z.object({ message_count: z.optional(z.nullable(z.number())) })) })

export type ModelChoice = { provider: string; providerName: string; model: string }
export type ApprovalConfig = { mode: string | null; timeoutS: number | null }
const UNREADABLE: Failure = { code: 'upstream_refused', say: 'Hermes answered in words that this page does not know.', next: 'Update the relay.' }

export type Dashboard = ReturnType<typeof createDashboard>

export function createDashboard(call: Call) {
  const path = (sessionId: string): string => `/dashboard/api/sessions/${encodeURIComponent(sessionId)}`
  /** `offset` counts from the oldest row. 0.19.0 knows no `order` and always answers so; newer servers have to be told. */
  async function page(sessionId: string, offset: number, limit: number): Promise<Got<MessagePage>> {
    const answer = await call(`${path(sessionId)}/messages?limit=${limit}&offset=${offset}&order=oldest`)
    if (!answer.ok) return answer
    const value = parseMessagePage(answer.body)
    return value ? { ok: true, value } : { ok: false, failure: UNREADABLE }
  }
  return {
    /** Newest first. `archived` only: those that were put away. */
    async sessions(limit: number, offset: number, archived: 'include' | 'only'): Promise<Got<Session[]>> {
      const answer = await call(`/dashboard/api/sessions?limit=${limit}&offset=${offset}&order=recent&archived=${archived}`)
      return answer.ok ? { ok: true, value: parseSessionList(answer.body) } : answer
    },
    /** In the words of all messages. */
    async search(words: string): Promise<Got<SearchHit[]>> {
      const answer = await call(`/dashboard/api/sessions/search?q=${encodeURIComponent(words.slice(0, SEARCH_CHARS_MAX))}&limit=${SEARCH_HITS_MAX}`)
      if (!answer.ok) return answer
      const value = parseSearchHits(answer.body)
      return value ? { ok: true, value } : { ok: false, failure: UNREADABLE }
    },
    /** One slot for each position from `offset` on, at most `limit` of them; `null` where a row is not shown. Fewer than `limit`: that is the end. */
    async messages(sessionId: string, offset: number, limit: number): Promise<Got<(MessageRow | null)[]>> {
      const slots: (MessageRow | null)[] = []
      for (let pages = 0; pages < PAGES_MAX && slots.length < limit; pages += 1) {
        const want = Math.min(ROWS_PER_PAGE, limit - slots.length)
        const got = await page(sessionId, offset + slots.length, want)
        if (!got.ok) return got
        if (!got.value.pagination) return { ok: true, value: got.value.slots.slice(offset) } // A server without paging answers everything at once.
        slots.push(...got.value.slots.slice(0, want))
        if (got.value.slots.length < want) break
      }
      return { ok: true, value: slots }
    },
    /** How many rows the server counts; a hint, it may be a few off. */
    async messageCount(sessionId: string): Promise<number | null> {
      const answer = await call(path(sessionId))
      const parsed = answer.ok ? Detail.safeParse(answer.body) : null
      return parsed?.data?.message_count ?? parsed?.data?.session?.message_count ?? null
    },
    rename: (sessionId: string, title: string) => call(path(sessionId), { method: 'PATCH', body: { title } }),
    archive: (sessionId: string, archived: boolean) => call(path(sessionId), { method: 'PATCH', body: { archived } }),
    remove: (sessionId: string) => call(path(sessionId), { method: 'DELETE' }),
    /** Takes back a delete within the relay's ten seconds. */
    undoRemove: (sessionId: string) => call(`/relay/sessions/${encodeURIComponent(sessionId)}/undelete`, { method: 'POST', body: {} }),
    async modelNow(): Promise<{ model: string | null; provider: string | null }> {
      const answer = await call('/dashboard/api/model/info')
      const parsed = answer.ok ? ModelInfo.safeParse(answer.body) : null
      return { model: parsed?.data?.model ?? null, provider: parsed?.data?.provider ?? null }
    },
    async modelChoices(): Promise<ModelChoice[]> {
      const answer = await call('/dashboard/api/model/options')
      const parsed = answer.ok ? ModelOptions.safeParse(answer.body) : null
      return (parsed?.data?.providers ?? []).flatMap((raw) => {
        const provider = Provider.safeParse(raw)
        if (!provider.success || provider.data.authenticated === false) return []
        const slug = provider.data.slug ?? provider.data.id ?? provider.data.name ?? ''
        return (provider.data.models ?? []).flatMap((model) => {
          const name = typeof model === 'string' ? model : (model.id ?? model.name ?? '')
          return name ? [{ provider: slug, providerName: provider.data.name ?? slug, model: name }] : []
        })
      })
    },
    async approvals(): Promise<ApprovalConfig> {
      const answer = await call('/dashboard/api/config')
      const parsed = answer.ok ? Config.safeParse(answer.body) : null
      const approvals = parsed?.data?.approvals ?? parsed?.data?.config?.approvals
      return { mode: typeof approvals?.mode === 'string' ? approvals.mode : null, timeoutS: typeof approvals?.timeout === 'number' ? approvals.timeout : null }
    },
    setApprovalTimeout: (timeoutS: number) => call('/dashboard/api/config', { method: 'PUT', body: { config: { approvals: { timeout: timeoutS } } } }),
  }
}
