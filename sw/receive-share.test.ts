import { expect, test } from 'vitest'
import { receiveShare, sharedText } from './receive-share.ts'

const form = (fields: Record<string, string>): FormData => { const data = new FormData(); for (const [name, value] of Object.entries(fields)) data.set(name, value); return data }
const request = (fields: Record<string, string>): Request => new Request('http://localhost/app/share', { method: 'POST', body: form(fields) })

test('title, text and address become one text, and nothing is said twice', () => {
  expect(sharedText(form({ title: 'A page', text: 'Read this', url: 'https://example.org/' }))).toBe('A page\nRead this\nhttps://example.org/')
  expect(sharedText(form({ title: 'A page', text: 'A page https://example.org/', url: 'https://example.org/' }))).toBe('A page https://example.org/')
  expect(sharedText(form({ title: 'same', text: 'same' }))).toBe('same')
  expect(sharedText(form({ title: '  ', text: '' }))).toBe('')
})
test('it is stored before the page opens', async () => {
  const stored: string[] = []
  const answer = await receiveShare(request({ text: 'words' }), async (text) => { stored.push(text); return true })
  expect([answer.status, answer.headers.get('location'), stored]).toEqual([303, '/app/#/share', ['words']])
})
test('what could not be kept is said; an empty share only opens the page', async () => {
  const refused = [async () => false, () => Promise.reject(new Error('full'))]
  for (const store of refused) expect((await receiveShare(request({ text: 'words' }), store)).headers.get('location')).toBe('/app/#/share-failed')
  expect((await receiveShare(new Request('http://localhost/app/share', { method: 'POST', body: 'no form' }), async () => true)).headers.get('location')).toBe('/app/#/share-failed')
  expect((await receiveShare(request({}), () => Promise.reject(new Error('not asked')))).headers.get('location')).toBe('/app/#/share')
})
