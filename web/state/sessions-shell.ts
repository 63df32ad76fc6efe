/** The list of conversations: read from Hermes, marked by the relay, changed with a way back. */
import { createSignal, onCleanup } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import type { Dashboard } from '#web/net/upstream/dashboard.ts'
import type { LinkShell } from './link-shell.ts'
import type { ToastShell } from './toast-shell.ts'

/** The relay waits this long before it really deletes, in ms (ruling 19). */
export const UNDO_MS = 10_000
const POLL_MS = 60_000

export type SessionsShell = ReturnType<typeof createSessionsShell>

export function createSessionsShell(dashboard: Dashboard, link: LinkShell, toast: ToastShell) {
  const [sessions, setSessions] = createSignal<readonly Session[] | null>(null)
  const [failure, setFailure] = createSignal<{ say: string; next: string } | null>(null)
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set())
  let running = false
  let again = false

  async function refresh(): Promise<void> {
    if (running) { again = true; return }
    running = true
    const got = await dashboard.sessions()
    running = false
    if (got.ok) { setSessions(got.value); setFailure(null) } else setFailure(got.failure)
    if (again) { again = false; void refresh() }
  }
  const poll = setInterval(() => { if (document.visibilityState === 'visible' && link.isUp()) void refresh() }, POLL_MS)
  onCleanup(() => clearInterval(poll))
  onCleanup(link.onLink((up) => { if (up) void refresh() }))
  // A changed set of busy conversations means that one began or ended.
  let marks = ''
  onCleanup(link.listen((frame) => {
    if (frame.type !== 'live.activity') return
    const next = frame.payload.sessions.map((one) => `${one.session}:${one.state}:${one.title}`).join()
    if (next !== marks) { marks = next; void refresh() }
  }))
  const hide = (id: string, gone: boolean): void => { setHidden((old) => { const next = new Set(old); if (gone) next.add(id); else next.delete(id); return next }) }

  return {
    sessions: () => sessions()?.filter((session) => !hidden().has(session.sessionId)) ?? null,
    failure, refresh,
    mark: (id: string) => link.activity().find((one) => one.session === id)?.state ?? null,
    async rename(id: string, title: string): Promise<void> {
      const answer = await dashboard.rename(id, title)
      if (!answer.ok) toast.show(`${answer.failure.say} ${answer.failure.next}`)
      await refresh()
    },
    async remove(session: Session): Promise<void> {
      const id = session.sessionId
      hide(id, true)
      const answer = await dashboard.remove(id)
      if (!answer.ok) { hide(id, false); toast.show(`${answer.failure.say} ${answer.failure.next}`); return }
      toast.show(`Deleted “${session.title || session.preview || 'conversation'}”`, {
        label: 'Undo', run: () => { void dashboard.undoRemove(id).then((undone) => { if (undone.ok) hide(id, false); else toast.show(`${undone.failure.say} ${undone.failure.next}`); void refresh() }) },
      }, UNDO_MS)
    },
  }
}
