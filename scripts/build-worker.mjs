/** Builds the service worker into a built page: the list of its files with their hashes, and a version that changes with every byte. */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Placeholder in sw/shell-files.ts. */
const VERSION = '__SHELL_VERSION__'
/** Larger files do not belong to what a start needs. */
const FILE_BYTES_MAX = 4 * 1_024 * 1_024

/** Letters of other scripts are kept when a page needs them (sw/decide.ts); pictures of the manifest are for the browser's shop window. */
const NOT_KEPT = ['**/*.map', '**/*.{br,gz}', '**/*{cyrillic,greek,vietnamese,latin-ext}*.woff2', '**/*.png', '*.webmanifest', 'sw.js']

export async function buildWorker(webFolder) {
  const [{ build }, { injectManifest }] = await Promise.all([import('esbuild'), import('workbox-build')])
  const bundle = join(webFolder, '.sw-bundle.js')
  const worker = join(webFolder, 'sw.js')
  await build({ absWorkingDir: root, entryPoints: ['sw/sw.ts'], outfile: bundle, bundle: true, minify: true, format: 'iife', platform: 'browser', target: 'es2023', logLevel: 'warning' })
  const integrityOf = (url) => `sha256-${createHash('sha256').update(readFileSync(join(webFolder, url))).digest('base64')}`
  const { count, warnings } = await injectManifest({
    swSrc: bundle, swDest: worker, globDirectory: webFolder, globPatterns: ['**/*'], globIgnores: NOT_KEPT, maximumFileSizeToCacheInBytes: FILE_BYTES_MAX,
    manifestTransforms: [(entries) => ({ manifest: entries.map(({ url, size }) => ({ url, size, revision: null, integrity: integrityOf(url) })), warnings: [] })],
  })
  rmSync(bundle)
  if (warnings.length > 0) throw new Error(`sw.js: ${warnings.join('; ')}`)
  const code = readFileSync(worker, 'utf8')
  if (code.split(VERSION).length !== 2) throw new Error(`sw.js: ${VERSION} must be there exactly once`)
  const version = createHash('sha256').update(code).digest('hex').slice(0, 16)
  writeFileSync(worker, code.replace(VERSION, version))
  return { count, version }
}
