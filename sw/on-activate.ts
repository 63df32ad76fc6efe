/** This build is the one in use: caches of earlier ones go now and not before, and open pages are served by it. */
import { outdatedCaches, type Shell } from './shell-files.ts'

export async function onActivate({ cacheName }: Shell, caches: CacheStorage, clients: { claim(): Promise<void> }): Promise<void> {
  await Promise.all(outdatedCaches(await caches.keys(), cacheName).map((name) => caches.delete(name)))
  await clients.claim()
}
