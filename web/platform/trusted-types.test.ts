import { expect, test } from 'vitest'
import { trustedScript, WORKER_URL } from './trusted-types.ts'

test('only the scripts on the list are trusted, letter by letter', () => {
  expect(trustedScript(WORKER_URL)).toBe('/app/sw.js')
  for (const url of ['/app/sw.js?x', '/app/../sw.js', 'https://evil.example/app/sw.js', 'data:text/javascript,1', 'blob:x', '']) expect(() => trustedScript(url)).toThrow('not one of our scripts')
})
