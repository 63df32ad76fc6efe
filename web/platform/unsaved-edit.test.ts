import { expect, test } from 'vitest'
import { hasUnsavedEdit } from './unsaved-edit.ts'

type Field = { value: string; matches(): boolean }
const page = (always: string[], active: { value: string; isField: boolean } | null): Document => ({
  querySelectorAll: () => always.map((value) => ({ value })), activeElement: active && ({ value: active.value, matches: () => active.isField } satisfies Field),
}) as unknown as Document

test('an answer or a waiting message with words in it, and the field with the focus, would be lost', () => {
  expect(hasUnsavedEdit(page(['half an answer'], null))).toBe(true)
  expect(hasUnsavedEdit(page([''], { value: 'a name', isField: true }))).toBe(true)
})
test('empty fields and the composer would not', () => {
  expect(hasUnsavedEdit(page([''], { value: 'a draft that is on disk', isField: false }))).toBe(false)
  expect(hasUnsavedEdit(page([], null))).toBe(false)
})
