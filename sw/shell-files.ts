/** What one build of the page consists of, as the build wrote it into the worker: every file with the hash that it must have. */

/** Files of one build; more is a mistake of the build. */
export const SHELL_FILES_MAX = 500
/** The build puts the hash of the whole worker in this place (scripts/build-worker.mjs). */
const VERSION = '__SHELL_VERSION__'
const CACHE_PREFIX = 'hermes-shell-'

export type ShellFile = { url: string; integrity: string }
export type Shell = { version: string; cacheName: string; files: readonly ShellFile[]; urls: ReadonlySet<string> }

export const SCOPE = '/app/'
/** The page itself: every navigation inside the scope is answered with it. */
export const PAGE_URL = `${SCOPE}index.html`

export function readShell(manifest: unknown, version = VERSION): Shell {
  if (!Array.isArray(manifest) || manifest.length === 0 || manifest.length > SHELL_FILES_MAX) throw new Error('invariant broken: the build lists the files of the page')
  const files = (manifest as ShellFile[]).map(({ url, integrity }) => ({ url: `${SCOPE}${url}`, integrity }))
  if (!files.some(({ url }) => url === PAGE_URL)) throw new Error('invariant broken: the page is one of its own files')
  return { version, cacheName: `${CACHE_PREFIX}${version}`, files, urls: new Set(files.map(({ url }) => url)) }
}

/** Caches of other builds; what is not ours stays. */
export const outdatedCaches = (names: readonly string[], current: string): string[] => names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== current)
