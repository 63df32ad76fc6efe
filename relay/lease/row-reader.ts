/** Reads the rows of a stored conversation over REST: safe at any time, moves nothing (lease.md 1). */
import { parseMessagePage, type MessageRow } from '#protocol/dashboard/message-row.ts'
import type { UpstreamTransport } from './upstream-transport.ts'

export type RowsRead =
  | { kind: 'rows'; rows: MessageRow[]; storedId: string | null }
  /** Hermes has no such conversation (never prompted, or deleted). */
  | { kind: 'absent' }
  | { kind: 'failed' }

const PAGE = 500
/** Pages read in one call: 30,000 rows. A tail longer than that is not read. */
export const PAGES_MAX = 60
const TIMEOUT_MS = 15_000
const ANSWER_BYTES_MAX = 64 * 1_024 * 1_024
/** Conversations whose length is remembered. */
const HINTS_MAX = 1_000

/**
 * `after`: only rows with a higher id; `null` reads the end only (at most one page), to learn the highest id.
 * 0.19.0 has no order and counts its offset from the start (gateway.md 13), so the length seen last time is the hint where to begin.
 */
export class RowReader {
  readonly #transport: UpstreamTransport
  readonly #hints = new Map<string, number>()

  constructor(transport: UpstreamTransport) {
    this.#transport = transport
  }

  /** Total: whatever Hermes answers, and whatever the id holds, the worst is `failed`. */
  async read(storedId: string, profile: string | null, after: number | null): Promise<RowsRead> {
    try {
      return await this.#read(storedId, profile, after)
    } catch {
      return { kind: 'failed' }
    }
  }

  async #read(storedId: string, profile: string | null, after: number | null): Promise<RowsRead> {
    let offset = Math.max(0, (this.#hints.get(storedId) ?? (await this.#count(storedId, profile))) - 50)
    let back = PAGE
    const rows: MessageRow[] = []
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const page = await this.#page(storedId, profile, offset)
      if (page.kind !== 'page') return page
      const first = page.rows[0]
      const tooFar = offset > 0 && rows.length === 0 && (!first || (after !== null && first.id > after))
      if (tooFar) {
        offset = Math.max(0, offset - back) // The history became shorter, or the hint began behind what we look for.
        back *= 2
        continue
      }
      rows.push(...page.rows)
      offset += page.returned
      if (page.returned >= PAGE) continue
      this.#remember(storedId, offset)
      return { kind: 'rows', rows: after === null ? rows.slice(-PAGE) : rows.filter((row) => row.id > after), storedId: page.sessionId }
    }
    return { kind: 'failed' } // Its end was not seen, so nothing may be concluded from what was.
  }

  async #count(storedId: string, profile: string | null): Promise<number> {
    const answer = await this.#get(`/api/sessions/${encodeURIComponent(storedId)}${profile ? `?profile=${encodeURIComponent(profile)}` : ''}`)
    if (answer.kind !== 'answer' || answer.status !== 200) return 0
    const body = parse(answer.body) as { message_count?: unknown } | null
    return typeof body?.message_count === 'number' ? body.message_count : 0
  }

  async #page(storedId: string, profile: string | null, offset: number) {
    const query = `limit=${PAGE}&offset=${offset}&order=oldest${profile ? `&profile=${encodeURIComponent(profile)}` : ''}`
    const answer = await this.#get(`/api/sessions/${encodeURIComponent(storedId)}/messages?${query}`)
    if (answer.kind === 'answer' && answer.status === 404) return { kind: 'absent' as const }
    if (answer.kind !== 'answer' || answer.status !== 200) return { kind: 'failed' as const }
    const page = parseMessagePage(parse(answer.body))
    if (!page) return { kind: 'failed' as const }
    return { kind: 'page' as const, rows: page.rows, sessionId: page.sessionId, returned: page.pagination?.returned ?? page.rows.length + page.skipped }
  }

  #get(path: string) {
    return this.#transport.request({ method: 'GET', path, timeoutMs: TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX })
  }

  #remember(storedId: string, count: number): void {
    this.#hints.delete(storedId)
    this.#hints.set(storedId, count)
    const oldest = this.#hints.size > HINTS_MAX ? this.#hints.keys().next().value : undefined
    if (oldest !== undefined) this.#hints.delete(oldest)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
