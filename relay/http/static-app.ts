/**
 * The built page under `/app/`. Files are listed once at start and found by exact name, so a request can only name what was built: there is
 * no path to join and none to escape from.
 */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.json': 'application/json', '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json', '.woff2': 'font/woff2', '.png': 'image/png', '.ico': 'image/x-icon', '.webp': 'image/webp', '.jpg': 'image/jpeg', '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm', '.map': 'application/json',
}
/** Files that one build may have; more is a mistake in the folder. */
export const STATIC_FILES_MAX = 2_000

type Variant = { path: string; bytes: number }
type StaticFile = { type: string; etag: string; cacheControl: string; plain: Variant; packed: Readonly<Record<string, Variant>> }

export interface StaticApp {
  readonly isBuilt: boolean
  /** `path` below `/app/`, without query. `null`: there is no such file and it is no page of the app either. */
  answer(path: string, request: Request): Response | null
}

export function createStaticApp(folder: string): StaticApp {
  const files = listFiles(folder)
  return {
    isBuilt: files.has('index.html'),
    answer(path, request) {
      const isPage = (request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate' && !(path.split('/').at(-1) as string).includes('.') && (request.headers.get('accept') ?? 'text/html').includes('text/html')
      const file = files.get(path) ?? (path === '' || isPage ? files.get('index.html') : undefined)
      return file ? answerFile(file, request) : null
    },
  }
}

function answerFile(file: StaticFile, request: Request): Response {
  const accepted = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',').map((part) => part.trim().split(';', 1)[0])
  const encoding = ['br', 'gzip'].find((name) => accepted.includes(name) && file.packed[name])
  const headers = new Headers({ 'content-type': file.type, 'cache-control': file.cacheControl, etag: file.etag, vary: 'Accept-Encoding' })
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
  const variant = (encoding && file.packed[encoding]) || file.plain
  if (encoding) headers.set('content-encoding', encoding)
  headers.set('content-length', String(variant.bytes))
  if (request.method === 'HEAD') return new Response(null, { headers })
  return new Response(Readable.toWeb(createReadStream(variant.path)) as ReadableStream, { headers })
}

function listFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  if (!existsSync(folder)) return files
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).slice(0, STATIC_FILES_MAX)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  for (const name of names) {
    if (/\.(?:br|gz)$/.test(name) || name.split('/').some((part) => part.startsWith('.'))) continue
    const plain = variantOf(folder, name)
    const packed = Object.fromEntries([['br', '.br'], ['gzip', '.gz']].filter(([, end]) => names.includes(name + end)).map(([encoding, end]) => [encoding, variantOf(folder, `${name}${end}`)]))
    const isHashed = name.startsWith('assets/') && /-[\w-]{8,}\.\w+$/.test(name)
    files.set(name, {
      type: TYPES[extname(name)] ?? 'application/octet-stream', plain, packed, cacheControl: isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${plain.bytes.toString(36)}-${Math.round(statSync(plain.path).mtimeMs).toString(36)}"`,
    })
  }
  return files
}

function variantOf(folder: string, name: string): Variant {
  const path = join(folder, name)
  return { path, bytes: statSync(path).size }
}
