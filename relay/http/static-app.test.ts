/** The static app: types, caching, fallback for pages only, packed variants, and nothing outside the build. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createStaticApp, STATIC_FILES_MAX } from './static-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'relay-web-'))
const web = join(folder, 'web')
mkdirSync(join(web, 'assets'), { recursive: true })
writeFileSync(join(folder, 'secret.txt'), 'secret')
for (const [name, text] of Object.entries({ 'index.html': '<!doctype html>', 'sw.js': 'sw', 'assets/index-D3adB33f.js': 'js', 'assets/index-D3adB33f.js.br': 'br', 'assets/index-D3adB33f.js.gz': 'gzip', '.env': 'x' })) writeFileSync(join(web, name), text)
const app = createStaticApp(web)
afterAll(() => rmSync(folder, { recursive: true }))
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => app.answer(path, new Request(`http://localhost/app/${path}`, { headers, method }))

test('index for the root and for pages of the app, never for a missing file or a fetch', async () => {
  for (const path of ['', 'index.html', 'chat/abc', 'settings']) expect(await get(path)?.text()).toBe('<!doctype html>')
  expect(get('')?.headers.get('cache-control')).toBe('no-cache')
  expect(get('assets/gone-12345678.js')).toBeNull()
  expect(get('chat/abc', { 'sec-fetch-mode': 'cors' })).toBeNull()
  expect(get('chat/abc', { accept: 'application/json' })).toBeNull()
})
test('hashed files are immutable and packed when the browser can unpack; the worker is never cached', async () => {
  const packed = get('assets/index-D3adB33f.js', { 'accept-encoding': 'gzip, br;q=1' })!
  expect(Object.fromEntries(packed.headers)).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable', 'content-type': 'text/javascript; charset=utf-8', 'content-length': '2', vary: 'Accept-Encoding' })
  expect(await get('assets/index-D3adB33f.js', { 'accept-encoding': 'gzip' })?.text()).toBe('gzip')
  expect(await get('assets/index-D3adB33f.js')?.text()).toBe('js')
  expect(get('sw.js')?.headers.get('cache-control')).toBe('no-cache')
})
test('HEAD has no body, a known etag is 304', async () => {
  const head = get('index.html', {}, 'HEAD')!
  expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, null, '15'])
  expect(get('index.html', { 'if-none-match': head.headers.get('etag')! })?.status).toBe(304)
})
test('only what was built has a name: no dot files, no variants, no way up', async () => {
  for (const path of ['.env', 'assets/index-D3adB33f.js.br', '../secret.txt', '..%2fsecret.txt', 'assets/../../secret.txt', '__proto__.js']) expect(get(path)).toBeNull()
  expect(await get('/etc/passwd')?.text()).toBe('<!doctype html>') // A page of the app that does not exist; the app says so.
})
test('without a build there is nothing, and it is said', () => {
  const empty = createStaticApp(join(folder, 'nothing'))
  expect(empty.isBuilt).toBe(false)
  expect(empty.answer('', new Request('http://localhost/app/'))).toBeNull()
})
test('a folder beyond STATIC_FILES_MAX is cut', () => {
  const crowd = join(folder, 'crowd')
  mkdirSync(crowd)
  for (let n = 0; n <= STATIC_FILES_MAX; n++) writeFileSync(join(crowd, `f${n}.txt`), '')
  const many = createStaticApp(crowd)
  expect(Array.from({ length: STATIC_FILES_MAX + 1 }, (_, n) => many.answer(`f${n}.txt`, new Request('http://localhost/', { method: 'HEAD' }))).filter(Boolean)).toHaveLength(STATIC_FILES_MAX)
})
