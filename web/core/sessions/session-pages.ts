/** The list of conversations as far as it was read, newest first, put together from pages of a list that moves meanwhile. Pure. */
import { LIST_PAGE_MAX, nextPage } from '#protocol/dashboard/list-window.ts'
import type { Session } from '#protocol/dashboard/session-row.ts'

/** `ended`: there is no further row. */
export type SessionPages = { rows: readonly Session[]; ended: boolean }
type Page = { rows: readonly Session[]; limit: number }

/**
 * The newest page was read again. What is older than it stays as it was read; what should stand in it and does not, is gone.
 * When nothing joins the two, rows lie between that nobody read: the older ones are read anew.
 */
export function mergeFirst(old: SessionPages | null, page: Page): SessionPages {
  const isWhole = page.rows.length < page.limit
  const oldest = page.rows.at(-1)
  if (isWhole || !old || !oldest) return { rows: page.rows, ended: isWhole }
  const ids = new Set(page.rows.map((row) => row.sessionId))
  if (!old.rows.some((row) => ids.has(row.sessionId))) return { rows: page.rows, ended: false }
  return { rows: [...page.rows, ...old.rows.filter((row) => row.activeAtMs <= oldest.activeAtMs && !ids.has(row.sessionId))], ended: old.ended }
}

/** A further page came. A row that is known already stays where it is. */
export function mergeNext(old: SessionPages, page: Page): SessionPages {
  const known = new Set(old.rows.map((row) => row.sessionId))
  const fresh = page.rows.filter((row) => !known.has(row.sessionId))
  const rows = [...old.rows, ...fresh]
  return { rows, ended: page.rows.length < Math.min(page.limit, LIST_PAGE_MAX) || fresh.length === 0 || nextPage(rows.length) === null }
}

/** One row, changed before the server says so, or back as it was. */
export const patchRow = (pages: SessionPages, sessionId: string, change: Partial<Session>): SessionPages =>
  ({ ...pages, rows: pages.rows.map((row) => (row.sessionId === sessionId ? { ...row, ...change } : row)) })
