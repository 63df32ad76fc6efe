/** What every implementation of KeyedStore promises; the fake and the real one run it. */
import { expect, test } from 'vitest'
import type { KeyedRules, KeyedStore } from './keyed-store.ts'

type Row = { word: string }
export const parseRow = (raw: unknown): Row | null => (typeof (raw as Row | null)?.word === 'string' ? { word: (raw as Row).word } : null)

export function keyedStoreSuite(create: (rules: KeyedRules<Row>) => KeyedStore<Row>): void {
  test('keeps what was put, in the order of keys, and forgets what was removed', async () => {
    const store = create({ parse: parseRow, keepMax: null })
    await store.put('b', { word: 'two' })
    await store.put('a', { word: 'one' })
    await store.put('b', { word: 'three' })
    expect(await store.all()).toEqual([{ word: 'one' }, { word: 'three' }])
    await store.remove('a')
    expect(await store.get('a')).toBeNull()
    expect(await store.get('b')).toEqual({ word: 'three' })
  })
  test('a row that cannot be read is no row', async () => {
    const store = create({ parse: parseRow, keepMax: null })
    await store.put('a', { wrong: 1 } as unknown as Row)
    expect(await store.get('a')).toBeNull()
    expect(await store.all()).toEqual([])
  })
  test('the bound is kept: the smallest keys fall out, never the new one', async () => {
    const store = create({ parse: parseRow, keepMax: 3 })
    for (const key of ['b', 'c', 'd', 'e', 'a']) await store.put(key, { word: key })
    expect((await store.all()).map((row) => row.word)).toEqual(['a', 'd', 'e'])
  })
  test('two changes at once are both kept; a key without a value stays without one', async () => {
    const store = create({ parse: parseRow, keepMax: null })
    await store.put('a', { word: 'one' })
    await Promise.all(['two', 'three'].map((more) => store.change('a', (row) => ({ word: `${row.word} ${more}` }))))
    await store.change('b', () => ({ word: 'never' }))
    expect(await store.get('a')).toEqual({ word: 'one two three' })
    expect(await store.get('b')).toBeNull()
  })
  test('what is kept is a copy', async () => {
    const store = create({ parse: parseRow, keepMax: null })
    const row = { word: 'before' }
    await store.put('a', row)
    row.word = 'after'
    expect(await store.get('a')).toEqual({ word: 'before' })
  })
}
