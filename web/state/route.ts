/** Where the person is, in the fragment: it needs nothing of the server that delivers the page. */
import { createSignal } from 'solid-js'
import { newId } from '#web/platform/clock.ts'

/** `chatKey` stays the same when a draft gets its stored id, so that the open page is not built anew. */
export type Place = { page: 'chat'; chatKey: string } | { page: 'devices' }
export type Route = ReturnType<typeof createRoute>

export const newDraftKey = (): string => `draft:${newId()}`
const SESSION = /^#\/c\/(.+)$/

function read(fallback: string): Place {
  if (location.hash === '#/devices') return { page: 'devices' }
  const found = SESSION.exec(location.hash)?.[1]
  return { page: 'chat', chatKey: found ? decodeURIComponent(found) : fallback }
}

/** `draftKey`: the conversation that is not begun yet; its draft survives a reload. */
export function createRoute(draftKey: string) {
  let draft = draftKey
  const [place, setPlace] = createSignal<Place>(read(draft))
  const [adopted, setAdopted] = createSignal<string | null>(null)
  window.addEventListener('hashchange', () => {
    const next = read(draft)
    if (next.page === 'chat' && next.chatKey === adopted()) return // Open already, under the key that it was begun with.
    setAdopted(null)
    setPlace(next)
  })
  return {
    place,
    /** Stored id of the open conversation when it began as a draft. */
    adopted,
    openChat(sessionId: string): void { location.hash = `#/c/${encodeURIComponent(sessionId)}` },
    openDraft(): void { location.hash = `#/c/${encodeURIComponent(draft)}` },
    openDevices(): void { location.hash = '#/devices' },
    draftKey: () => draft,
    /** The draft became a conversation: the next new chat is another one. */
    renewDraft(key: string): void { draft = key },
    /** Names the open conversation by its stored id, without leaving it. */
    adopt(sessionId: string): void { setAdopted(sessionId); history.replaceState(null, '', `#/c/${encodeURIComponent(sessionId)}`) },
  }
}
