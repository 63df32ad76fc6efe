/**
 * What a request must look like before anything reads it: a Host that is ours, a path without tricks, a method that exists, an Origin that
 * is known. Pure. Loopback as a peer address proves nothing (decision D5), so nothing here looks at it.
 */
import type { RefusalCode } from '#protocol/refusal/refusal.ts'

/** Longest request target, in UTF-16 units. */
export const TARGET_CHARS_MAX = 8_192
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export type RequestFacts = { method: string; target: string; host: string | undefined; origin: string | undefined; fetchSite: string | undefined; isUpgrade: boolean; fetchMode?: string | undefined }
/** `hosts`: names without port, lower case. `ports`: those that we listen on, plus what a proxy in front of a configured name may use. */
export type AllowedNames = { localNames: ReadonlySet<string>; configuredNames: ReadonlySet<string>; port: number; knownOrigins: ReadonlySet<string> }
export type Verdict = { kind: 'pass'; unknownOrigin: string | null; corsOrigin: string | null } | { kind: 'refused'; code: RefusalCode }

/** What a share target is posted to when no service worker is there: it only leads to the page, so that it may come from anywhere, by a visit. */
export const SHARE_TARGET = '/app/share'
const isShareVisit = ({ method, target, fetchMode, isUpgrade }: RequestFacts): boolean => method === 'POST' && target === SHARE_TARGET && fetchMode === 'navigate' && !isUpgrade

const refused = (code: RefusalCode): Verdict => ({ kind: 'refused', code })

export function judgeRequest(facts: RequestFacts, allowed: AllowedNames): Verdict {
  if (!METHODS.has(facts.method)) return refused('method_refused')
  if (!isPlainTarget(facts.target)) return refused('route_unknown')
  const host = parseHost(facts.host)
  if (!host || !isOurHost(host, allowed)) return refused('host_refused')
  const needsOrigin = (facts.isUpgrade || !SAFE_METHODS.has(facts.method)) && !isShareVisit(facts)
  const site = facts.fetchSite?.toLowerCase()
  if (facts.origin === undefined) {
    // A browser that says it comes from elsewhere and hides from where; a program says neither.
    return needsOrigin && site !== undefined && site !== 'same-origin' && site !== 'none' ? refused('origin_refused') : { kind: 'pass', unknownOrigin: null, corsOrigin: null }
  }
  const origin = parseOrigin(facts.origin)
  if (origin === null) return needsOrigin ? refused('origin_refused') : { kind: 'pass', unknownOrigin: null, corsOrigin: null }
  if (origin.host === facts.host?.toLowerCase()) {
    const isLying = needsOrigin && (site === 'cross-site' || site === 'same-site')
    return isLying ? refused('origin_refused') : { kind: 'pass', unknownOrigin: null, corsOrigin: null }
  }
  if (allowed.knownOrigins.has(origin.text)) return { kind: 'pass', unknownOrigin: null, corsOrigin: origin.text }
  if (facts.isUpgrade) return { kind: 'pass', unknownOrigin: origin.text, corsOrigin: null } // The caller asks whether a code is open (ruling 15).
  return needsOrigin ? refused('origin_refused') : { kind: 'pass', unknownOrigin: null, corsOrigin: null }
}

/** No way to say "up", by any spelling, and nothing that another parser could read differently. The query is the route's business. */
export function isPlainTarget(target: string): boolean {
  if (target.length > TARGET_CHARS_MAX || !target.startsWith('/') || target.startsWith('//')) return false
  const path = target.split('?', 1)[0] as string
  if (/[\\\x00-\x20\x7f#]/.test(target) || /%(?:00|25|2e|2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i.test(path)) return false
  if (/%(?![0-9a-f]{2})/i.test(path)) return false
  return !path.split('/').some((segment) => segment === '.' || segment === '..')
}

export type HostName = { name: string; port: number | null }

export function parseHost(host: string | undefined): HostName | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]{1,253})(?::(\d{1,5}))?$/.exec((host ?? '').toLowerCase())
  if (!match) return null
  const name = (match[1] as string).replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return { name, port: match[2] === undefined ? null : Number(match[2]) }
}

/** A local name only with our port; a configured name with any, since a TLS proxy in front has its own. */
function isOurHost({ name, port }: HostName, { localNames, configuredNames, port: ours }: AllowedNames): boolean {
  if (configuredNames.has(name)) return true
  return localNames.has(name) && (port ?? 80) === ours
}

function parseOrigin(origin: string): { text: string; host: string } | null {
  if (!/^https?:\/\/[^/?#@\s\\]+$/i.test(origin)) return null // `null`, file:, extensions, and anything odd.
  try {
    const url = new URL(origin)
    return { text: url.origin, host: url.host }
  } catch {
    return null
  }
}
