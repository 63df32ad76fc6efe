/** The state of the list: what is searched, which scope is shown, which row has the focus. Wires the pure parts to Hermes and the page. */
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import type { SearchHit } from '#protocol/dashboard/search-hit.ts'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { type WaitingChat, waitingChats } from '#web/core/sessions/waiting-chats.ts'
import { createTicker } from '#web/platform/presence.ts'
import { useServices } from '#web/state/services.ts'
import type { ListScope } from '#web/state/sessions-shell.ts'
import type { ListHandle } from '#web/ui/fixed-list.tsx'
import { listItems, neighbour } from './list-items.ts'

/** After the last key, in ms: the list filters at once, the messages are asked when somebody pauses. */
const SEARCH_AFTER_MS = 200

type Search = { state: 'none' | 'asking' | 'failed'; hits: readonly SearchHit[] }
const NO_SEARCH: Search = { state: 'none', hits: [] }
export type ListStore = ReturnType<typeof createListStore>

export function createListStore() {
  const { sessions, route, dashboard, pins, outbox, link } = useServices()
  const [query, setQuery] = createSignal('')
  const [scope, setScope] = createSignal<ListScope>('all')
  const [search, setSearch] = createSignal<Search>(NO_SEARCH)
  const [focused, setFocused] = createSignal<string | null>(null)
  const [renaming, setRenaming] = createSignal<string | null>(null)
  const now = createTicker(30_000)
  let list: ListHandle | undefined
  let generation = 0

  createEffect(on(() => query().trim(), (words) => {
    const mine = ++generation // An answer to older words is dropped.
    if (words === '') { setSearch(NO_SEARCH); return }
    setSearch((old) => ({ ...old, state: 'asking' }))
    const timer = setTimeout(() => void dashboard.search(words).then((got) => {
      if (mine === generation) setSearch(got.ok ? { state: 'none', hits: got.value } : { state: 'failed', hits: [] })
    }), SEARCH_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  }))
  createEffect(() => sessions.open(scope()))

  const openKey = createMemo(() => { const place = route.place(); return place.page !== 'chat' ? null : (route.adopted() ?? (place.chatKey === route.draftKey() ? 'draft' : place.chatKey)) })
  const waiting = createMemo<readonly WaitingChat[]>((before) => {
    const place = route.place()
    const open = place.page === 'chat' ? place.chatKey : null
    return waitingChats(before, { entries: outbox.state().entries, activity: link.activity(), open, named: route.adopted() === null ? null : open })
  }, [])
  const items = createMemo(() => listItems(sessions.rows(scope()) ?? [], { waiting: waiting(), pins: pins.pins(), query: query(), hits: search().hits, nowMs: now(), withDraft: openKey() === 'draft' && scope() === 'all', withArchived: scope() === 'archived' }))
  const known = (key: string | null): boolean => key !== null && items().some((item) => item.key === key)
  /** One row of the list is reached by Tab: the one that had the focus, the open one, or the first. */
  const tabStop = createMemo(() => [focused(), openKey()].find(known) ?? items()[0]?.key ?? null)
  const giveFocus = (key: string | null): void => {
    if (key === null) return
    setFocused(key)
    list?.reveal(key)
    document.querySelector<HTMLElement>(`.drawer [data-key="${CSS.escape(key)}"]`)?.focus()
  }

  return {
    query, setQuery, waiting, scope, setScope, search, items, now, tabStop, openKey, renaming, focused, setFocused,
    setList: (handle: ListHandle) => { list = handle },
    giveFocus,
    move: (to: Parameters<typeof neighbour>[2]) => giveFocus(neighbour(items(), tabStop(), to)),
    rename: (key: string) => setRenaming(key),
    endRename: (key: string) => { setRenaming(null); giveFocus(key) },
    /** Out of the list; the focus goes to the row that takes its place. */
    leave(key: string, act: () => void): void {
      const next = neighbour(items(), key, 'next')
      const after = next === key ? neighbour(items(), key, 'previous') : next
      const hadFocus = document.activeElement instanceof HTMLElement && document.activeElement.closest('.drawer .list') !== null
      if (openKey() === key) route.openDraft()
      act()
      if (hadFocus && after !== key) queueMicrotask(() => giveFocus(after))
    },
    sessionOf: (key: string): Session | null => sessions.sessions()?.find((row) => row.sessionId === key) ?? sessions.rows('archived')?.find((row) => row.sessionId === key) ?? pins.pins().find((row) => row.sessionId === key) ?? null,
  }
}
