/** Cookies of one dashboard, in memory: the newest of each name wins, also from errors (contract dashboard.md 2.4). */

/** A server that sets more has something else in mind. */
export const COOKIES_MAX = 32
export const COOKIE_CHARS_MAX = 4_096

type Cookie = { value: string; expiresAtMs: number | null }

export class CookieJar {
  readonly #cookies = new Map<string, Cookie>()

  /** One `Set-Cookie` line. The jar talks to one base only, so domain and path do not matter. */
  put(line: string, nowMs: number): void {
    if (line.length > COOKIE_CHARS_MAX) return
    const [pair = '', ...attributes] = line.split(';')
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    const value = pair.slice(at + 1).trim()
    if (at < 1 || !/^[\x21-\x3a\x3c\x3e-\x7e]+$/.test(name) || /[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e"]/.test(value)) return
    const expiresAtMs = expiryOf(attributes, nowMs)
    if (value === '' || (expiresAtMs !== null && expiresAtMs <= nowMs)) this.#cookies.delete(name)
    else if (this.#cookies.has(name) || this.#cookies.size < COOKIES_MAX) this.#cookies.set(name, { value, expiresAtMs })
  }

  /** The `Cookie` header, or nothing to send. */
  header(nowMs: number): string | null {
    for (const [name, { expiresAtMs }] of this.#cookies) if (expiresAtMs !== null && expiresAtMs <= nowMs) this.#cookies.delete(name)
    return this.#cookies.size === 0 ? null : [...this.#cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  }

  clear(): void {
    this.#cookies.clear()
  }
}

/** `Max-Age` wins over `Expires`. */
function expiryOf(attributes: readonly string[], nowMs: number): number | null {
  const read = (name: string) => attributes.map((attribute) => attribute.trim().split('=')).find(([key]) => key?.toLowerCase() === name)?.slice(1).join('=')
  const maxAge = read('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return nowMs + Number(maxAge) * 1_000
  const expires = Date.parse(read('expires') ?? '')
  return Number.isNaN(expires) ? null : expires
}
