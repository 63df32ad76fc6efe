/** Install, activate and messages against a cache of the test's own. */
import { expect, test } from 'vitest'
import { onActivate } from './on-activate.ts'
import { onInstall } from './on-install.ts'
import { onMessage } from './on-message.ts'
import { readShell, SHELL_FILES_MAX } from './shell-files.ts'

const MANIFEST = [{ url: 'index.html', integrity: 'sha256-a' }, { url: 'assets/index-abcdefgh.js', integrity: 'sha256-b' }]

function createCaches(start: Record<string, Record<string, string>> = {}) {
  const stores = new Map(Object.entries(start).map(([name, files]) => [name, new Map(Object.entries(files))]))
  const api = {
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
    async open(name: string) {
      const files = stores.get(name) ?? new Map<string, string>()
      stores.set(name, files)
      return { put: async (url: string, response: Response) => { files.set(url, await response.text()) }, match: async (url: string) => (files.has(url) ? new Response(files.get(url)) : undefined) }
    },
  }
  return { api: api as unknown as CacheStorage, shown: () => Object.fromEntries([...stores].map(([name, files]) => [name, Object.fromEntries(files)])) }
}

test('an install keeps every file, asks the network for each once with its hash, and takes hashed ones from the build before', async () => {
  const { api, shown } = createCaches({ 'hermes-shell-1': { '/app/index.html': 'old page', '/app/assets/index-abcdefgh.js': 'script' } })
  const asked: unknown[] = []
  await onInstall(readShell(MANIFEST, '2'), api, (async (url: string, { integrity, cache }: RequestInit) => { asked.push([url, integrity, cache]); return new Response('new page') }) as typeof fetch)
  expect(asked).toEqual([['/app/index.html', 'sha256-a', 'no-cache']])
  expect(shown()).toEqual({ 'hermes-shell-1': { '/app/index.html': 'old page', '/app/assets/index-abcdefgh.js': 'script' }, 'hermes-shell-2': { '/app/index.html': 'new page', '/app/assets/index-abcdefgh.js': 'script' } })
})
test('one file that cannot be had means that nothing is installed, also when others come later', async () => {
  const { api, shown } = createCaches({ 'hermes-shell-1': { '/app/index.html': 'old page' } })
  const load = (async (url: string) => {
    if (url.endsWith('.js')) return new Response('gone', { status: 404 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    return new Response('page')
  }) as typeof fetch
  await expect(onInstall(readShell(MANIFEST, '2'), api, load)).rejects.toThrow('/app/assets/index-abcdefgh.js: 404')
  await new Promise((resolve) => setTimeout(resolve, 40))
  expect(shown()).toEqual({ 'hermes-shell-1': { '/app/index.html': 'old page' } })
})
test('earlier builds go when this one is in use, caches of others stay', async () => {
  const { api, shown } = createCaches({ 'hermes-shell-1': {}, 'hermes-shell-2': {}, pictures: {} })
  let claims = 0
  await onActivate(readShell(MANIFEST, '2'), api, { claim: async () => { claims += 1 } })
  expect([Object.keys(shown()), claims]).toEqual([['hermes-shell-2', 'pictures'], 1])
})
test('it says which build it is, and takes over only when it is told to', () => {
  const said: unknown[] = []
  let takeovers = 0
  const tell = (data: unknown): void => onMessage(readShell(MANIFEST, '2'), { data, ports: [{ postMessage: (word: unknown) => said.push(word) } as MessagePort] }, async () => { takeovers += 1 })
  for (const data of [null, 'SKIP_WAITING', { type: 'other' }, { type: 'VERSION' }]) tell(data)
  expect([said, takeovers]).toEqual([['2'], 0])
  tell({ type: 'SKIP_WAITING' })
  expect(takeovers).toBe(1)
})
test('a list that cannot be a build is a mistake of the build', () => {
  expect(() => readShell([])).toThrow('invariant')
  expect(() => readShell([{ url: 'a.js', integrity: 'x' }])).toThrow('one of its own files')
  expect(() => readShell(Array.from({ length: SHELL_FILES_MAX + 1 }, () => MANIFEST[0]))).toThrow('invariant')
})
