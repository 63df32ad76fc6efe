/** What the list shows, in order: conversations by day, or what a search found. Pure. */
import type { SearchHit } from '#protocol/dashboard/search-hit.ts'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { pinnedFirst, type Pins } from '#web/core/sessions/pins.ts'
import type { WaitingChat } from '#web/core/sessions/waiting-chats.ts'
import { groupsAt } from '#web/ui/when.ts'

/** A heading belongs to the row below it: a list for screen readers has rows only. */
export type ListItem = { key: string; heading: string | null } & ({ kind: 'draft' } | { kind: 'waiting'; chat: WaitingChat } | { kind: 'session'; session: Session } | { kind: 'hit'; hit: SearchHit })

const matches = (session: Session, words: string): boolean => session.title.toLowerCase().includes(words) || session.preview.toLowerCase().includes(words)

export function listItems(rows: readonly Session[], from: { waiting: readonly WaitingChat[]; pins: Pins; query: string; hits: readonly SearchHit[]; nowMs: number; withDraft: boolean; withArchived: boolean }): ListItem[] {
  const words = from.query.trim().toLowerCase()
  const items: ListItem[] = []
  let group: string | null = null
  const add = (name: string, item: { key: string } & ({ kind: 'draft' } | { kind: 'waiting'; chat: WaitingChat } | { kind: 'session'; session: Session })): void => { items.push({ ...item, heading: name === group ? null : name }); group = name }
  const addAll = (some: readonly Session[], nameOf: (session: Session) => string): void => {
    for (const session of some) if (session.archived === from.withArchived && (words === '' || matches(session, words))) add(nameOf(session), { kind: 'session', key: session.sessionId, session })
  }
  const waiting = from.withArchived ? [] : from.waiting
  for (const chat of waiting) if (words === '' || chat.words.toLowerCase().includes(words)) add('Waiting', { kind: 'waiting', key: chat.key, chat })
  const { pinned, rest } = pinnedFirst(rows.filter((row) => !waiting.some((chat) => chat.key === row.sessionId)), from.withArchived ? [] : from.pins)
  addAll(pinned, () => 'Pinned')
  if (from.withDraft && words === '') add('Today', { kind: 'draft', key: 'draft' })
  const groupOf = groupsAt(from.nowMs)
  addAll(rest, (session) => groupOf(session.activeAtMs))
  const shown = new Set(items.map((item) => item.key))
  const hits = words === '' ? [] : from.hits.filter((hit) => !shown.has(hit.sessionId))
  return [...items, ...hits.map((hit, index): ListItem => ({ kind: 'hit', key: hit.sessionId, hit, heading: index === 0 ? 'In messages' : null }))]
}

/** The row that the focus goes to; the ends stay. */
export function neighbour(items: readonly ListItem[], key: string | null, to: 'next' | 'previous' | 'first' | 'last'): string | null {
  const index = items.findIndex((item) => item.key === key)
  const wanted = to === 'first' ? 0 : to === 'last' ? items.length - 1 : to === 'next' ? index + 1 : index <= 0 ? 0 : index - 1
  return items[Math.max(0, Math.min(wanted, items.length - 1))]?.key ?? null
}
