/** The list of conversations: read from Hermes page by page, marked by the relay, changed at once and put back when that fails. */
import { createEffect, createMemo, createSignal, onCleanup } from 'solid-js'
import { LIST_PAGE_MAX, nextPage } from '#protocol/dashboard/list-window.ts'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { mergeFirst, mergeNext, patchRow, type SessionPages } from '#web/core/sessions/session-pages.ts'
import type { Dashboard } from '#web/net/upstream/dashboard.ts'
import type { KeptSessions } from './kept-sessions.ts'
import type { LinkShell } from './link-shell.ts'
import type { ToastShell } from './toast-shell.ts'

/** The relay waits this long before it really deletes, in ms (ruling 19). */
export const UNDO_MS = 10_000
const POLL_MS = 60_000

type Failure = { say: string; next: string }
export type ListScope = 'all' | 'archived'
export type SessionsShell = ReturnType<typeof createSessionsShell>

/** One list that is read from the top again and again, and further down when it is asked for. One request at a time. */
function createPagedList(read: (limit: number, offset: number) => ReturnType<Dashboard['sessions']>) {
  const [pages, setPages] = createSignal<SessionPages | null>(null)
  const [failure, setFailure] = createSignal<Failure | null>(null)
  let running = false
  let again = false
  async function one(limit: number, offset: number, merge: (old: SessionPages | null, rows: readonly Session[]) => SessionPages): Promise<void> {
    running = true
    const got = await read(limit, offset)
    running = false
    if (got.ok) { setPages((old) => merge(old, got.value)); setFailure(null) } else setFailure(got.failure)
    if (again) { again = false; void refresh() }
  }
  async function refresh(): Promise<void> {
    if (running) { again = true; return }
    await one(LIST_PAGE_MAX, 0, (old, rows) => mergeFirst(old, { rows, limit: LIST_PAGE_MAX }))
  }
  return {
    pages, failure, refresh,
    async more(): Promise<void> {
      const known = pages()
      const next = known && !known.ended && !running ? nextPage(known.rows.length) : null
      if (next) await one(next[0], next[1], (old, rows) => (old ? mergeNext(old, { rows, limit: next[0] }) : mergeFirst(null, { rows, limit: next[0] })))
    },
    patch: (id: string, change: Partial<Session>) => { setPages((old) => old && patchRow(old, id, change)) },
    drop: (id: string) => { setPages((old) => old && { ...old, rows: old.rows.filter((row) => row.sessionId !== id) }) },
  }
}

export function createSessionsShell(dashboard: Dashboard, link: LinkShell, toast: ToastShell, kept: KeptSessions) {
  const all = createPagedList((limit, offset) => dashboard.sessions(limit, offset, 'include'))
  const archived = createPagedList((limit, offset) => dashboard.sessions(limit, offset, 'only'))
  const listOf = (scope: ListScope) => (scope === 'archived' ? archived : all)
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set())
  const refresh = async (): Promise<void> => { await Promise.all([all.refresh(), archived.pages() ? archived.refresh() : null]) }
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
  const shown = (rows: readonly Session[] | undefined): readonly Session[] | null => (rows ? (hidden().size > 0 ? rows.filter((row) => !hidden().has(row.sessionId)) : rows) : null)
  /** Conversations in which messages wait and that no list knows (any more): what was written must be reachable. */
  const lost = createMemo(() => link.activity().filter((one) => one.state === 'queued' && !(all.pages()?.rows ?? []).some((row) => row.sessionId === one.session)).map((one): Session => (
    { sessionId: one.session, title: one.title ?? 'Messages that wait', preview: '', source: '', model: '', startedAtMs: 0, activeAtMs: Date.now(), messageCount: 0, archived: false, cwd: null })))
  const withLost = (rows: readonly Session[] | null): readonly Session[] | null => (rows && all.pages() && lost().length > 0 ? [...lost(), ...rows] : rows)
  const rowsOf: Record<ListScope, () => readonly Session[] | null> = { all: createMemo(() => withLost(shown(all.pages()?.rows ?? kept.kept() ?? undefined))), archived: createMemo(() => shown(archived.pages()?.rows)) }
  createEffect(() => { const rows = all.pages()?.rows; if (rows) kept.keep(rows) })
  const say = (failure: Failure): void => toast.show(`${failure.say} ${failure.next}`)
  const nameOf = (session: Session): string => session.title || session.preview || 'conversation'

  /** Shown at once; what the server refuses is put back and said. */
  async function change(session: Session, what: Partial<Session>, order: () => Promise<{ ok: true } | { ok: false; failure: Failure }>): Promise<boolean> {
    const before = Object.fromEntries(Object.keys(what).map((key) => [key, session[key as keyof Session]]))
    for (const list of [all, archived]) list.patch(session.sessionId, what)
    const answer = await order()
    if (!answer.ok) { for (const list of [all, archived]) list.patch(session.sessionId, before); say(answer.failure) }
    void refresh()
    return answer.ok
  }

  return {
    sessions: rowsOf.all,
    /** From the last visit: the relay has not been asked yet, or does not answer. */
    isOld: () => all.pages() === null && kept.kept() !== null,
    /** Deleted here, though it can still be taken back. */
    isHidden: (id: string) => hidden().has(id),
    rows: (scope: ListScope) => rowsOf[scope](),
    failure: (scope: ListScope = 'all') => listOf(scope).failure(),
    hasMore: (scope: ListScope) => listOf(scope).pages()?.ended === false,
    more: (scope: ListScope) => listOf(scope).more(),
    refresh,
    /** The archived ones are read once somebody looks at them. */
    open(scope: ListScope): void { if (!listOf(scope).pages()) void listOf(scope).refresh() },
    mark: (id: string) => link.activity().find((one) => one.session === id)?.state ?? null,
    rename: (session: Session, title: string): Promise<boolean> => change(session, { title }, () => dashboard.rename(session.sessionId, title)),
    /** True: done. */
    async archive(session: Session, isArchived: boolean): Promise<boolean> {
      const set = (value: boolean): Promise<boolean> => change({ ...session, archived: !value }, { archived: value }, () => dashboard.archive(session.sessionId, value))
      if (!(await set(isArchived))) return false
      if (!isArchived) archived.drop(session.sessionId)
      toast.show(`${isArchived ? 'Archived' : 'Back in the list:'} “${nameOf(session)}”`, { label: 'Undo', run: () => void set(!isArchived) })
      return true
    },
    async remove(session: Session): Promise<void> {
      const id = session.sessionId
      hide(id, true)
      const answer = await dashboard.remove(id)
      if (!answer.ok) { hide(id, false); say(answer.failure); return }
      toast.show(`Deleted “${nameOf(session)}”`, {
        label: 'Undo', run: () => { void dashboard.undoRemove(id).then((undone) => { if (undone.ok) hide(id, false); else say(undone.failure); void refresh() }) },
      }, UNDO_MS)
    },
  }
}
