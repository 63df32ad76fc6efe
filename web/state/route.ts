/** Where the person is, in the fragment: it needs nothing of the server that delivers the page. */
import { createSignal } from 'solid-js'
import { newId } from '#web/platform/clock.ts'
import { layers } from './layers.ts'

export const SETTINGS_SECTIONS = ['appearance', 'chat', 'notifications', 'browser', 'shortcuts', 'about'] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]
/** `chatKey` stays the same when a draft gets its stored id, so that the open page is not built anew. */
export type Place = { page: 'chat'; chatKey: string } | { page: 'devices' } | { page: 'agent' } | { page: 'settings'; section: SettingsSection | null } | { page: 'dev-ui' } | { page: 'unknown'; hash: string }
export type Route = ReturnType<typeof createRoute>

export const newDraftKey = (): string => `draft:${newId()}`

/** What a fragment means. One that cannot be read is an unknown page, never an error. */
export function parsePlace(hash: string, draftKey: string): Place {
  const [page, rest] = [hash.replace(/^#?\/?/, '').split('/', 1)[0] ?? '', hash.replace(/^#?\/?[^/]*\/?/, '')]
  if (page === '') return { page: 'chat', chatKey: draftKey }
  if (page === 'devices' && rest === '') return { page: 'devices' }
  if (page === 'agent' && rest === '') return { page: 'agent' }
  if (page === 'settings' && rest === '') return { page: 'settings', section: null }
  if (page === 'settings') { const section = SETTINGS_SECTIONS.find((one) => one === rest); if (section) return { page: 'settings', section } }
  if (page === 'dev' && rest === 'ui') return { page: 'dev-ui' }
  if (page === 'c' && rest !== '') try { return { page: 'chat', chatKey: decodeURIComponent(rest) } } catch { /* A broken escape: unknown. */ }
  return { page: 'unknown', hash }
}

/** `draftKey`: the conversation that is not begun yet; its draft survives a reload. */
export function createRoute(draftKey: string) {
  let draft = draftKey
  const [place, setPlace] = createSignal<Place>(parsePlace(location.hash, draft))
  const [adopted, setAdopted] = createSignal<string | null>(null)
  window.addEventListener('hashchange', () => {
    const next = parsePlace(location.hash, draft)
    if (next.page === 'chat' && next.chatKey === adopted()) return // Open already, under the key that it was begun with.
    setAdopted(null)
    if (next.page === 'chat') lastChat = location.hash
    setPlace(next)
  })
  /** Where a person returns to from the other pages. */
  let lastChat = place().page === 'chat' ? location.hash : ''
  const go = (hash: string): void => layers().leave(() => { location.hash = hash })
  return {
    place,
    /** Stored id of the open conversation when it began as a draft. */
    adopted,
    openChat: (sessionId: string): void => go(`#/c/${encodeURIComponent(sessionId)}`),
    openDraft: (): void => go(`#/c/${encodeURIComponent(draft)}`),
    openDevices: (): void => go('#/devices'),
    openAgent: (): void => go('#/agent'),
    openSettings: (section?: SettingsSection): void => go(section ? `#/settings/${section}` : '#/settings'),
    backToChat: (): void => go(lastChat || `#/c/${encodeURIComponent(draft)}`),
    draftKey: () => draft,
    /** The draft became a conversation: the next new chat is another one. */
    renewDraft(key: string): void { draft = key },
    /** Names the open conversation by its stored id, without leaving it. */
    adopt(sessionId: string): void { setAdopted(sessionId); lastChat = `#/c/${encodeURIComponent(sessionId)}`; layers().rename(lastChat) },
  }
}
