/** What the worker does with a request. Pure. Everything that is not a file of the page is left to the network, untouched: the worker never stands between page and relay. */
import { PAGE_URL, SCOPE } from './shell-files.ts'

export type RequestFacts = { method: string; mode: string; url: string; hasRange: boolean }
export type Decision =
  | { kind: 'pass' }
  /** A file of this build, under this name; `asPage`: a navigation. */
  | { kind: 'file'; url: string }
  /** A hashed file that this build has but did not keep in advance, like the letters of another script. */
  | { kind: 'keep'; url: string }
  | { kind: 'share' }

const PASS: Decision = { kind: 'pass' }
export const SHARE_PATH = `${SCOPE}share`

export function decide({ method, mode, url, hasRange }: RequestFacts, origin: string, kept: ReadonlySet<string>): Decision {
  const { origin: where, pathname } = new URL(url)
  if (where !== origin || !pathname.startsWith(SCOPE)) return PASS
  if (method === 'POST' && mode === 'navigate' && pathname === SHARE_PATH) return { kind: 'share' }
  if (method !== 'GET' || hasRange) return PASS
  if (mode === 'navigate') return isPagePath(pathname) ? { kind: 'file', url: PAGE_URL } : PASS
  if (kept.has(pathname)) return { kind: 'file', url: pathname }
  return /^\/app\/assets\/[\w.-]+-[\w-]{8,}\.woff2$/.test(pathname) ? { kind: 'keep', url: pathname } : PASS
}

/** The same rule as the relay's: a name with a dot is a file, and the page is not an answer to it. */
const isPagePath = (pathname: string): boolean => pathname === PAGE_URL || !(pathname.split('/').at(-1) ?? '').includes('.')
