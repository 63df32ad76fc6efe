/** Which requests get the opener policy. */
import { expect, test } from 'vitest'
import { isTrustworthy } from './security-headers.ts'

test.each([
  [{ host: 'localhost:7080' }, true], [{ host: '127.0.0.1:7080' }, true], [{ host: '[::1]:7080' }, true], [{ host: 'relay.localhost' }, true],
  [{ host: 'relay.lan:7080' }, false], [{ host: '192.168.1.20:7080' }, false], [{ host: 'localhost.example' }, false], [{ host: '127.0.0.1.example' }, false], [{}, false],
  [{ host: 'attic.example', 'x-forwarded-proto': 'https' }, true], [{ host: 'attic.example', 'x-forwarded-proto': 'http' }, false], [{ host: 'attic.example', 'sec-fetch-site': 'none' }, true],
])('%j is trustworthy: %s', (headers, expected) => {
  expect(isTrustworthy(new Request('http://any.example/', { headers: headers as Record<string, string> }))).toBe(expected)
})
