import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { openPageDatabase } from './idb-keyed-store.ts'
import { moveSharesIntoDraft, putShare, SHARE_CHARS_MAX, SHARES_MAX } from './share-box.ts'

let databases = 0
const open = () => openPageDatabase(`shares-${databases++}`)

test('what was shared stands behind the draft that was there, under a new name, and only once', async () => {
  const db = await open()
  await db.put('drafts', { session: 'draft:1', text: 'what was there' }, 'draft:1')
  await putShare(db, 'one')
  await putShare(db, 'two')
  expect(await moveSharesIntoDraft(db, 'draft:1', 'draft:2')).toBe(true)
  expect(await db.getAll('drafts')).toEqual([{ session: 'draft:2', text: 'what was there\n\none\n\ntwo' }])
  expect(await db.get('settings', 'draftKey')).toEqual({ value: 'draft:2' })
  expect(await moveSharesIntoDraft(db, 'draft:2', 'draft:3')).toBe(false)
  expect(await db.getAll('drafts')).toHaveLength(1)
})
test('two tabs that look at the same time: one of them gets it', async () => {
  const db = await open()
  await putShare(db, 'words')
  const got = await Promise.all([moveSharesIntoDraft(db, null, 'draft:a'), moveSharesIntoDraft(db, null, 'draft:b')])
  expect(got.filter(Boolean)).toHaveLength(1)
  expect(await db.getAll('drafts')).toHaveLength(1)
})
test('a full box and a text that is too long are refused, and nothing falls out', async () => {
  const db = await open()
  for (let n = 0; n < SHARES_MAX; n += 1) expect(await putShare(db, `word ${n}`)).toBe(true)
  expect(await putShare(db, 'one more')).toBe(false)
  expect(await putShare(await open(), 'x'.repeat(SHARE_CHARS_MAX + 1))).toBe(false)
  await moveSharesIntoDraft(db, null, 'draft:1')
  expect(((await db.get('drafts', 'draft:1')) as { text: string }).text.split('\n\n')).toHaveLength(SHARES_MAX)
})
