/** The jar, line by line (contract dashboard.md 2.4). */
import { expect, test } from 'vitest'
import { COOKIE_CHARS_MAX, CookieJar, COOKIES_MAX } from './cookie-jar.ts'

test('the newest value wins, an expired or emptied cookie is gone', () => {
  const jar = new CookieJar()
  jar.put('hermes_session_at=one; Max-Age=60; HttpOnly; SameSite=Lax; Path=/', 0)
  jar.put('__Host-hermes_session_rt=r==; Path=/', 0)
  jar.put('hermes_session_at=two; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 0)
  expect(jar.header(59_999)).toBe('hermes_session_at=two; __Host-hermes_session_rt=r==')
  expect(jar.header(60_000)).toBe('__Host-hermes_session_rt=r==')
  jar.put('__Host-hermes_session_rt=""; Max-Age=0', 60_000)
  expect(jar.header(60_000)).toBeNull()
  jar.put('a=b; Expires=Thu, 01 Jan 2026 00:00:00 GMT', Date.UTC(2026, 0, 2))
  expect(jar.header(0)).toBeNull()
})
test('nothing that could break out of the header is kept', () => {
  const jar = new CookieJar()
  for (const line of ['', '=x', 'noequals', 'a b=c', 'a=b\r\nX: y', 'a=b\u0000', 'ä=b', 'a=ü']) jar.put(line, 0)
  expect(jar.header(0)).toBeNull()
})
test('COOKIES_MAX and COOKIE_CHARS_MAX', () => {
  const jar = new CookieJar()
  for (let n = 0; n <= COOKIES_MAX; n++) jar.put(`c${n}=x`, 0)
  expect(jar.header(0)?.split('; ')).toHaveLength(COOKIES_MAX)
  jar.put(`c0=${'y'.repeat(COOKIE_CHARS_MAX)}`, 0)
  expect(jar.header(0)).toMatch(/^c0=x;/)
  jar.put('c0=z', 0)
  expect(jar.header(0)).toContain('c0=z')
})
