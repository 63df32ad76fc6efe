import { expect, test } from 'vitest'
import type { MessageRow } from '#protocol/dashboard/message-row.ts'
import type { Block } from '#protocol/turn/turn-fold.ts'
import { blocksSince, currentSegment } from './lease-recovery.ts'

const text = (words: string): Block => ({ kind: 'text', text: words, sealed: true })

test.each([
  ['nothing stored yet', 'one two', [], 'one two'],
  ['one segment stored, the next streams', 'Step 1.\n\nStep 2', [text('Step 1.')], 'Step 2'],
  ['everything stored', 'Step 1.\n\nStep 2.', [text('Step 1.'), text('Step 2.')], ''],
  ['a blank line in front', '\n\nhello', [], 'hello'],
  ['a segment that repeats the one before', 'ok\n\nok', [text('ok')], 'ok'],
  ['a stored text that is not in front is left alone', 'other', [text('Step 1.')], 'other'],
])('text of the current segment: %s', (_name, inflight, stored, left) => {
  expect(currentSegment(inflight, stored)).toBe(left)
})

const row = (id: number, role: string, content: string): MessageRow => ({ id, role, content })

test('blocks of the running turn are those after its prompt, also when the prompt was asked before', () => {
  const rows = [row(1, 'user', 'ok'), row(2, 'assistant', 'old'), row(3, 'user', 'ok'), row(4, 'assistant', 'new')]
  expect(blocksSince(rows, 'ok')).toEqual({ blocks: [text('new')], rowIdBefore: 2 })
  expect(blocksSince(rows.slice(0, 2), 'other')).toEqual({ blocks: [text('old')], rowIdBefore: null })
})
