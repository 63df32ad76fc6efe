/** Vectors: contract api-server.md 10.6. */
import { expect, test } from 'vitest'
import { DIRECTIVE_IMAGES_MAX, DIRECTIVE_PATH_MAX, DIRECTIVE_TEXT_MAX, readImageDirectives } from './image-directives.ts'

test.each([
  ['look\n@image:/srv/a.png', 'look', ['/srv/a.png']],
  ['@image:"/srv/my pic.JPG"\nwhat is this?', 'what is this?', ['/srv/my pic.JPG']],
  ['@image:C:\\p\\a.webp', '', ['C:\\p\\a.webp']],
  ['@image:/srv/my pic.jpg', '@image:/srv/my pic.jpg', []],
  ['see @image:/srv/a.png', 'see @image:/srv/a.png', []],
  ['@image:rel/a.png', '@image:rel/a.png', []],
  ['@image:/srv/a.txt', '@image:/srv/a.txt', []],
])('%j', (text, kept, images) => { expect(readImageDirectives(text)).toEqual({ text: kept, images }) })

test('bounds: eight pictures, a path, a text; further directives go and name nothing', () => {
  expect(readImageDirectives(Array.from({ length: DIRECTIVE_IMAGES_MAX + 2 }, (_, n) => `@image:/srv/${n}.png`).join('\n'))).toEqual({ text: '', images: Array.from({ length: DIRECTIVE_IMAGES_MAX }, (_, n) => `/srv/${n}.png`) })
  const long = `@image:/${'a'.repeat(DIRECTIVE_PATH_MAX)}.png`
  expect(readImageDirectives(long)).toEqual({ text: long, images: [] })
  const huge = `@image:/srv/a.png\n${'x'.repeat(DIRECTIVE_TEXT_MAX)}`
  expect(readImageDirectives(huge)).toEqual({ text: huge, images: [] })
})
