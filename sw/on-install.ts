/**
 * All files of a build, or none: a build that cannot be kept whole is not installed, and the one before goes on. The browser checks each
 * file against the hash that the build wrote down, so that a relay that is updated in the middle never gives a mixture.
 */
import type { Shell, ShellFile } from './shell-files.ts'

/** Downloads at the same time: the page is loading too. */
const DOWNLOADS_MAX = 4

export async function onInstall({ cacheName, files }: Shell, caches: CacheStorage, load: typeof fetch): Promise<void> {
  const others = (await caches.keys()).filter((name) => name !== cacheName)
  const cache = await caches.open(cacheName)
  const waiting = [...files]
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const known = await findKept(file, [cacheName, ...others], caches)
      await cache.put(file.url, known ?? (await download(file, load)))
    }
  }
  // Only when all are done: a late one would open the cache again that is taken away.
  const failed = (await Promise.allSettled(Array.from({ length: DOWNLOADS_MAX }, worker))).find((one) => one.status === 'rejected')
  if (!failed) return
  await caches.delete(cacheName)
  throw failed.reason
}

/** The name of a hashed file says what is in it, so that a copy of an earlier build is as good. */
async function findKept({ url }: ShellFile, names: readonly string[], caches: CacheStorage): Promise<Response | null> {
  if (!url.startsWith('/app/assets/')) return null
  for (const name of names) {
    const found = await (await caches.open(name)).match(url)
    if (found) return found
  }
  return null
}

async function download({ url, integrity }: ShellFile, load: typeof fetch): Promise<Response> {
  const response = await load(url, { integrity, cache: url.startsWith('/app/assets/') ? 'default' : 'no-cache', credentials: 'omit' })
  if (!response.ok || response.redirected) throw new Error(`${url}: ${response.status}`)
  return response
}
