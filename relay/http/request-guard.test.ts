/** Each guard, with the attack it is for. */
import { expect, test } from 'vitest'
import { type AllowedNames, isPlainTarget, judgeRequest, parseHost, type RequestFacts, TARGET_CHARS_MAX } from './request-guard.ts'

const allowed: AllowedNames = {
  localNames: new Set(['localhost', '127.0.0.1', '::1']), configuredNames: new Set(['attic.tail.example']), port: 8767, knownOrigins: new Set(['https://app.example']),
}
const judge = (facts: Partial<RequestFacts>) => {
  const verdict = judgeRequest({ method: 'GET', target: '/relay/health', host: 'localhost:8767', origin: undefined, fetchSite: undefined, isUpgrade: false, ...facts }, allowed)
  return verdict.kind === 'refused' ? verdict.code : verdict.corsOrigin ?? (verdict.unknownOrigin ? `unknown ${verdict.unknownOrigin}` : 'pass')
}

test.each(['localhost:8767', 'LOCALHOST:8767', '127.0.0.1:8767', '[::1]:8767', 'attic.tail.example', 'attic.tail.example:443', 'localhost.:8767'])('Host %s is ours', (host) => {
  expect(judge({ host })).toBe('pass')
})
test.each(['evil.example:8767', 'localhost:8768', 'localhost', '192.168.1.5:8767', 'localhost.evil.example:8767', '127.0.0.1.nip.io:8767', 'localhost:8767@evil', 'localhost:8767, evil', '', undefined, '[::1', '2130706433:8767', '0x7f.1:8767'])('rebinding: Host %s is refused', (host) => {
  expect(judge({ host })).toBe('host_refused')
})

test.each(['TRACE', 'CONNECT', 'TRACK', 'PROPFIND', 'get', 'FOO', ''])('method %s is refused', (method) => {
  expect(judge({ method })).toBe('method_refused')
})
test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('method %s passes', (method) => {
  expect(judge({ method })).toBe('pass')
})

test.each([
  '/app/../etc/passwd', '/app/..', '/./app', '/app/%2e%2e/x', '/app/%2E%2e/x', '/app/.%2e/x', '/app/%252e%252e/x', '/app/..%2fx', '/app/%2f..', '/app\\..\\x', '/app/%5c..%5cx', '/app/%00', '/app/x\0',
  '//evil.example/x', 'http://evil.example/', '*', '', '/app/%', '/app/%zz', '/app/a b', '/app/#x', '/app/%0d%0aSet-Cookie:x', `/${'a'.repeat(TARGET_CHARS_MAX)}`,
])('traversal: %s is refused', (target) => {
  expect(isPlainTarget(target)).toBe(false)
  expect(judge({ target })).toBe('route_unknown')
})
test.each(['/', '/app/', '/app/assets/index-D3adB33f.js', '/app/chat/20260101_1?x=100%25', '/app/caf%C3%A9', `/${'a'.repeat(TARGET_CHARS_MAX - 1)}`])('plain: %s passes', (target) => {
  expect(isPlainTarget(target)).toBe(true)
})

test('our own origin passes everywhere, also behind TLS; a foreign one never for what changes something', () => {
  for (const isUpgrade of [true, false]) {
    expect(judge({ origin: 'http://localhost:8767', fetchSite: 'same-origin', method: 'POST', isUpgrade })).toBe('pass')
    expect(judge({ origin: 'https://attic.tail.example', host: 'attic.tail.example', method: 'POST', isUpgrade })).toBe('pass')
  }
  for (const origin of ['https://evil.example', 'http://localhost:9999', 'http://127.0.0.1:8767', 'http://localhost'])
    expect(judge({ origin, method: 'POST' })).toBe('origin_refused')
  for (const origin of ['null', 'file://', 'chrome-extension://abc', 'https://app.example/', 'https://a@app.example', '', 'https://app.example https://evil.example']) {
    expect(judge({ origin, method: 'DELETE' })).toBe('origin_refused')
    expect(judge({ origin, isUpgrade: true })).toBe('origin_refused')
  }
})

test('a simple cross-site request without Origin is refused by Sec-Fetch-Site; a program without both passes', () => {
  for (const fetchSite of ['cross-site', 'same-site', 'Cross-Site']) {
    expect(judge({ method: 'POST', fetchSite })).toBe('origin_refused')
    expect(judge({ isUpgrade: true, fetchSite })).toBe('origin_refused')
    expect(judge({ origin: 'http://localhost:8767', method: 'POST', fetchSite })).toBe('origin_refused')
    expect(judge({ fetchSite })).toBe('pass') // A link from elsewhere may open the app.
  }
  expect(judge({ method: 'POST' })).toBe('pass')
})

test('an origin that paired is answered with CORS; an unknown one may only try to upgrade, and is named', () => {
  expect(judge({ origin: 'https://app.example', fetchSite: 'cross-site', method: 'POST' })).toBe('https://app.example')
  expect(judge({ origin: 'https://app.example', fetchSite: 'cross-site', isUpgrade: true })).toBe('https://app.example')
  expect(judge({ origin: 'https://evil.example', fetchSite: 'cross-site', isUpgrade: true })).toBe('unknown https://evil.example')
  expect(judge({ origin: 'https://evil.example', fetchSite: 'cross-site' })).toBe('pass') // Without CORS headers its page cannot read the answer.
})

test('hosts are read strictly', () => {
  expect(parseHost('[::1]:80')).toEqual({ name: '::1', port: 80 })
  expect(parseHost('a.b')).toEqual({ name: 'a.b', port: null })
  for (const host of ['a b', 'a:b', 'a:123456', 'http://a', 'a/', 'a?']) expect(parseHost(host)).toBeNull()
})

test('a share from another program may come by a visit, and by nothing else', () => {
  const share = { method: 'POST', target: '/app/share', origin: 'null', fetchSite: 'cross-site', fetchMode: 'navigate' }
  expect(judge(share)).toBe('pass')
  for (const other of [{ fetchMode: 'cors' }, { fetchMode: undefined }, { target: '/app/share?x' }, { target: '/relay/sign-out' }, { method: 'PUT' }, { isUpgrade: true }]) expect(judge({ ...share, ...other })).toBe('origin_refused')
  expect(judge({ ...share, host: 'evil.example' })).toBe('host_refused')
})
