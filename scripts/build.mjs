/** Builds what `npm start` runs: the page into dist/web, the relay into dist/relay. Everything it says goes to stderr. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildWorker } from './build-worker.mjs'
import { folderHash } from './folder-hash.mjs'
import { refuseOldNode } from './node-version.mjs'
import { oneAtATime, StillBusy } from './one-at-a-time.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Smaller files gain nothing. */
const PACK_FROM_BYTES = 1_024
const STAMPS = join(root, '.cache', 'build.json')

/** What each product is made of; a change in one of these makes it out of date. */
export const PRODUCTS = {
  relay: { output: 'dist/relay/main.js', sources: ['relay', 'protocol', 'package.json', 'package-lock.json', 'scripts/build.mjs'] },
  web: { output: 'dist/web/index.html', sources: ['web', 'protocol', 'sw', 'public', 'vite.config.ts', 'index.html', 'package-lock.json', 'scripts/build.mjs', 'scripts/build-worker.mjs'] },
}

/** Products whose sources changed since they were built, with the hash of their sources. */
export function whatIsOld({ isForced = false } = {}) {
  const stamps = readStamps()
  return Object.entries(PRODUCTS).filter(([name]) => name !== 'web' || existsSync(join(root, 'vite.config.ts')))
    .map(([name, { output, sources }]) => ({ name, output, hash: folderHash(root, sources) }))
    .filter(({ name, output, hash }) => isForced || stamps[name] !== hash || !existsSync(join(root, output)))
}

async function build(old) {
  for (const { name, hash } of old) {
    process.stderr.write(`Building ${name} ...\n`)
    await (name === 'relay' ? buildRelay() : buildWeb())
    writeStamps({ ...readStamps(), [name]: hash })
  }
}

const buildRelay = () => bundleRelay(join(root, 'dist', 'relay'))

/** Bundled, so that only what is used of them is loaded: whole, classic zod brings fifty languages and 12 MB of memory. */
const BUNDLED = /^(?:zod|hono|@hono\/node-server)(?:\/|$)/

/** The relay as a few files that need only node_modules beside them; what is imported lazily stays lazy. */
export async function bundleRelay(outdir) {
  const { build } = await import('esbuild')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root, entryPoints: ['relay/main.ts'], outdir, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20', sourcemap: true, logLevel: 'warning',
    plugins: [{ name: 'only-our-code', setup: (setup) => setup.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) => (kind === 'entry-point' || BUNDLED.test(path) ? undefined : { path, external: true })) }],
  })
  const scenarios = join(root, 'relay', 'embedded', 'scenarios')
  if (existsSync(scenarios)) cpSync(scenarios, join(outdir, 'scenarios'), { recursive: true })
  const managed = join(root, 'relay', 'managed')
  for (const name of existsSync(managed) ? readdirSync(managed) : []) if (/^constraints-.*\.txt$/.test(name)) cpSync(join(managed, name), join(outdir, name))
}

async function buildWeb() {
  const { build } = await import('vite')
  process.chdir(root) // The configuration names its folders from here.
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'error' })
  await buildWorker(join(root, 'dist', 'web')) // Before packing: it lists what is there.
  packFiles(join(root, 'dist', 'web'))
}

/** Packed once here instead of on every request; the relay sends the variant that the browser can unpack. */
function packFiles(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|css|html|svg|json|webmanifest)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = readFileSync(path)
    if (bytes.length < PACK_FROM_BYTES) continue
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes))
  }
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(STAMPS, 'utf8'))
  } catch {
    return {}
  }
}
function writeStamps(stamps) {
  mkdirSync(dirname(STAMPS), { recursive: true })
  writeFileSync(STAMPS, JSON.stringify(stamps))
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  refuseOldNode()
  const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
  const isForced = process.argv.includes('--force')
  try {
    // What is old is looked at inside: whoever was first may have built it.
    await oneAtATime({ lock: join(root, '.cache', 'building.lock'), what: 'building' }, async () => {
      const old = whatIsOld({ isForced }).filter(({ name }) => !only || name === only)
      await build(old)
      process.stderr.write(old.length > 0 ? `Built: ${old.map(({ name }) => name).join(', ')}.\n` : 'Everything is up to date.\n')
    })
  } catch (error) {
    if (!(error instanceof StillBusy)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
