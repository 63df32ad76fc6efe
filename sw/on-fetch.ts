/** Answers the page's own files from what was kept; the rest goes to the network as if there were no worker. */
import { decide } from './decide.ts'
import { receiveShare } from './receive-share.ts'
import type { Shell } from './shell-files.ts'

type Fetched = { request: Request; respondWith(answer: Promise<Response>): void }

export function onFetch(shell: Shell, event: Fetched, origin: string): void {
  const { request } = event
  const decision = decide({ method: request.method, mode: request.mode, url: request.url, hasRange: request.headers.has('range') }, origin, shell.urls)
  if (decision.kind === 'file') event.respondWith(fromKept(shell, decision.url, request))
  else if (decision.kind === 'keep') event.respondWith(fromKeptOrKeep(shell, decision.url, request))
  else if (decision.kind === 'share') event.respondWith(receiveShare(request))
}

/** A browser that threw the cache away still has the network. */
async function fromKept({ cacheName }: Shell, url: string, request: Request): Promise<Response> {
  return (await caches.match(url, { cacheName })) ?? fetch(request)
}

async function fromKeptOrKeep({ cacheName }: Shell, url: string, request: Request): Promise<Response> {
  const known = await caches.match(url, { cacheName })
  if (known) return known
  const response = await fetch(request)
  if (response.ok) {
    const copy = response.clone()
    void caches.open(cacheName).then((cache) => cache.put(url, copy)).catch(() => undefined) // No room: read again next time.
  }
  return response
}
