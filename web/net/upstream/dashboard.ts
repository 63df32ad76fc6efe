/** The Hermes dashboard's REST as the relay's ingress passes it on. Parses at the door; knows no socket. */
import * as z from 'zod/mini'
import { type MessagePage, type MessageRow, parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { parseSessionList, type Session } from '#protocol/dashboard/session-row.ts'

/** Rows of one page of a transcript. */
export const ROWS_PER_PAGE = 500
/** Pages read of one transcript; a longer one shows its newest rows. */
export const PAGES_MAX = 100

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

export type ModelChoice = { provider: string; providerName: string; model: string }
export type ApprovalConfig = { mode: string | null; timeoutS: number | null }
const UNREADABLE: Failure = { code: 'upstream_refused', say: 'Hermes answered in words that this page does not know.', next: 'Update the relay.' }

export type Dashboard = ReturnType<typeof createDashboard>

export function createDashboard(call: Call) {
  const path = (sessionId: string): string => `/dashboard/api/sessions/${encodeURIComponent(sessionId)}`
  async function page(sessionId: string, offset: number): Promise<Got<MessagePage>> {
    const answer = await call(`${path(sessionId)}/messages?limit=${ROWS_PER_PAGE}&offset=${offset}`)
    if (!answer.ok) return answer
    const value = parseMessagePage(answer.body)
    return value ? { ok: true, value } : { ok: false, failure: UNREADABLE }
  }
  return {
    async sessions(): Promise<Got<Session[]>> {
      const answer = await call('/dashboard/api/sessions?limit=100&order=recent&archived=include')
      return answer.ok ? { ok: true, value: parseSessionList(answer.body) } : answer
    },
    /** All rows, oldest first. A server without paging answers everything at once. */
    async messages(sessionId: string): Promise<Got<MessageRow[]>> {
      const rows: MessageRow[] = []
      for (let pages = 0, offset = 0; pages < PAGES_MAX; pages += 1) {
        const got = await page(sessionId, offset)
        if (!got.ok) return got
        const seen = new Set(rows.map((row) => row.id))
        rows.push(...got.value.rows.filter((row) => !seen.has(row.id)))
        const count = got.value.rows.length + got.value.skipped
        if (!got.value.pagination || count < ROWS_PER_PAGE) break
        offset += count
      }
      return { ok: true, value: rows }
    },
    rename: (sessionId: string, title: string) => call(path(sessionId), { method: 'PATCH', body: { title } }),
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
