/** Remembers in this browser which conversations were looked at, and when they last changed then. */
import { createEffect, createSignal } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { isNews, markSeen, parseSeen, type Seen } from '#web/core/sessions/seen.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'
import type { Route } from './route.ts'
import type { SessionsShell } from './sessions-shell.ts'

const WRITE_AFTER_MS = 500
/** The list learns of the last words a moment after they were on the screen; until then they count as seen, in ms. */
const JUST_LEFT_MS = 5_000
export type SeenShell = ReturnType<typeof createSeenShell>

export function createSeenShell(storage: PageStorage, sessions: SessionsShell, route: Route) {
  const [seen, setSeen] = createSignal<Seen | null>(null)
  const [loaded, setLoaded] = createSignal(false)
  let lastOpenId: string | null = null
  let left: { id: string; atMs: number } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const change = (next: Seen): void => {
    setSeen(next)
    clearTimeout(timer)
    timer = setTimeout(() => void storage.settings.put('seen', { value: next }).catch(() => undefined), WRITE_AFTER_MS)
  }
  void storage.settings.get('seen').catch(() => null).then((kept) => { setSeen(parseSeen(kept?.value)); setLoaded(true) })
  createEffect(() => {
    const rows = sessions.sessions()
    if (!loaded() || !rows) return
    const known = seen()
    if (!known) return change({ sinceMs: rows[0]?.activeAtMs ?? 0, atMs: [] })
    const place = route.place()
    const openId = place.page === 'chat' ? (route.adopted() ?? place.chatKey) : null
    if (openId !== lastOpenId) { if (lastOpenId !== null) left = { id: lastOpenId, atMs: Date.now() }; lastOpenId = openId }
    const isJustLeft = (id: string): boolean => left?.id === id && Date.now() - left.atMs < JUST_LEFT_MS && sessions.mark(id) === null
    const looked = rows.filter((row) => (row.sessionId === openId && document.visibilityState === 'visible') || isJustLeft(row.sessionId))
    const next = looked.filter((row) => (known.atMs.find(([id]) => id === row.sessionId)?.[1] ?? -1) < row.activeAtMs).reduce((seen, row) => markSeen(seen, row.sessionId, row.activeAtMs), known)
    if (next !== known) change(next)
  })
  return { isNews: (session: Session): boolean => { const known = seen(); return known !== null && isNews(known, session.sessionId, session.activeAtMs) } }
}
