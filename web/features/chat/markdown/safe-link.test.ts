import { expect, test } from 'vitest'
import { decodeEntities, safeLink } from './safe-link.ts'

test.each([['https://a.example/x', true], ['http://a.example', true], ['mailto:a@b.c', true], ['javascript:alert(1)', false], [' javascript:alert(1)', false], ['JAVASCRIPT:x', false], ['data:text/html,x', false], ['/relative', false], ['vbscript:x', false], ['file:///etc/passwd', false]])('%s', (href, safe) => {
  expect(safeLink(href) !== null).toBe(safe)
})
test('entities become characters, the rest stays', () => {
  expect(decodeEntities('a &lt;b&gt; &amp; &#65; &unknown; &')).toBe('a <b> & A &unknown; &')
})
