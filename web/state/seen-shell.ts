/** Remembers in this browser which conversations were looked at, and when they last changed then. */
import { createEffect, createSignal } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { isNews, markSeen, parseSeen, type Seen } from '#web/core/sessions/seen.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'
import type { Route } from './route.ts'
import type { SessionsShell } from './sessions-shell.ts'

const WRITE_AFTER_MS = 500
export type SeenShell = ReturnType<typeof createSeenShell>

export function createSeenShell(storage: PageStorage, sessions: SessionsShell, route: Route) {
  const [seen, setSeen] = createSignal<Seen | null>(null)
  const [loaded, setLoaded] = createSignal(false)
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
    const open = openId === null ? undefined : rows.find((row) => row.sessionId === openId)
    if (open && document.visibilityState === 'visible' && isNews(known, open.sessionId, open.activeAtMs)) change(markSeen(known, open.sessionId, open.activeAtMs))
    else if (open && !known.atMs.some(([id]) => id === open.sessionId)) change(markSeen(known, open.sessionId, open.activeAtMs))
  })
  return { isNews: (session: Session): boolean => { const known = seen(); return known !== null && isNews(known, session.sessionId, session.activeAtMs) } }
}
