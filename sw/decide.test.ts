import { expect, test } from 'vitest'
import { decide } from './decide.ts'

const ORIGIN = 'http://localhost:8767'
const KEPT = new Set(['/app/index.html', '/app/icon.svg', '/app/assets/index-abcdefgh.js'])
const ask = (path: string, { method = 'GET', mode = 'cors', origin = ORIGIN, hasRange = false } = {}) => decide({ method, mode, url: `${origin}${path}`, hasRange }, ORIGIN, KEPT)

test.each([['/app/'], ['/app/index.html'], ['/app/share'], ['/app/?from=launcher'], ['/app/a/b']])('a visit of %s is answered with the page of this build', (path) => {
  expect(ask(path, { mode: 'navigate' })).toEqual({ kind: 'file', url: '/app/index.html' })
})
test.each([
  ['/relay/health'], ['/relay/ws'], ['/relay/me'], ['/dashboard/api/sessions'], ['/api/status'], ['/'], ['/app'], ['/health'], ['/application/'],
])('%s is never touched, whatever asks', (path) => {
  for (const mode of ['navigate', 'cors', 'same-origin']) expect(ask(path, { mode })).toEqual({ kind: 'pass' })
  expect(ask(path, { method: 'POST', mode: 'navigate' })).toEqual({ kind: 'pass' })
})
test('files of this build come from what was kept; others, writes, ranges and foreign origins from the network', () => {
  expect(ask('/app/assets/index-abcdefgh.js')).toEqual({ kind: 'file', url: '/app/assets/index-abcdefgh.js' })
  expect(ask('/app/icon.svg?size=2')).toEqual({ kind: 'file', url: '/app/icon.svg' })
  expect(ask('/app/assets/index-ijklmnop.js')).toEqual({ kind: 'pass' })
  expect(ask('/app/icon.svg', { hasRange: true })).toEqual({ kind: 'pass' })
  expect(ask('/app/icon.svg', { method: 'HEAD' })).toEqual({ kind: 'pass' })
  expect(ask('/app/icon.svg', { origin: 'http://localhost:1' })).toEqual({ kind: 'pass' })
  expect(ask('/app/sw.js')).toEqual({ kind: 'pass' })
  expect(ask('/app/sw.js', { mode: 'navigate' })).toEqual({ kind: 'pass' })
})
test('letters of another script are kept when a page needs them', () => {
  expect(ask('/app/assets/inter-greek-wght-normal-CkhJZR-_.woff2')).toEqual({ kind: 'keep', url: '/app/assets/inter-greek-wght-normal-CkhJZR-_.woff2' })
  expect(ask('/app/assets/plain.woff2')).toEqual({ kind: 'pass' })
})
test('only a visit may share', () => {
  expect(ask('/app/share', { method: 'POST', mode: 'navigate' })).toEqual({ kind: 'share' })
  expect(ask('/app/share', { method: 'POST', mode: 'cors' })).toEqual({ kind: 'pass' })
  expect(ask('/app/share/x', { method: 'POST', mode: 'navigate' })).toEqual({ kind: 'pass' })
})
