/** Words that wait in this browser have a row, from the lost link to the stored id. */
import { expect, test } from 'vitest'
import type { Activity } from '#protocol/live/live-frame.ts'
import type { OutboxEntry, OutboxPhase } from '../outbox/outbox.ts'
import { WAITING_WORDS_MAX, type WaitingChat, waitingChats } from './waiting-chats.ts'

const entry = (session: string, phase: OutboxPhase, text = 'first words', atMs = 1): OutboxEntry => ({ clientMsgId: `${session}-${text}`, session, text, options: null, atMs, phase, say: null, next: null })
const look = (before: readonly WaitingChat[], entries: readonly OutboxEntry[], more: { activity?: readonly Activity[]; open?: string | null; named?: string | null } = {}): WaitingChat[] =>
  waitingChats(before, { entries, activity: more.activity ?? [], open: more.open ?? null, named: more.named ?? null })
const shape = (chats: readonly WaitingChat[]) => chats.map((chat) => [chat.key, chat.state])
const queued = (session: string): Activity => ({ session, state: 'queued', title: null })

test('without a link each new chat has one row, the newest first; a conversation that Hermes knows has none', () => {
  const chats = look([], [entry('draft:a', 'waiting', 'one', 1), entry('draft:a', 'waiting', 'two', 2), entry('draft:b', 'waiting', 'three', 3), entry('stored', 'waiting')])
  expect(chats).toEqual([{ key: 'draft:b', words: 'three', atMs: 3, state: 'waiting' }, { key: 'draft:a', words: 'one', atMs: 1, state: 'waiting' }])
})
test('what goes out at once makes no row; what the relay refused does', () => {
  expect(look([], [entry('draft:a', 'saving'), entry('draft:b', 'sending'), entry('draft:c', 'accepted')])).toEqual([])
  expect(shape(look([], [entry('draft:a', 'refused')]))).toEqual([['draft:a', 'refused']])
})
test('the row of the open chat stays while its words go out, and goes with the stored id', () => {
  const open = 'draft:a'
  const waiting = look([], [entry(open, 'waiting')], { open })
  const sending = look(waiting, [entry(open, 'sending')], { open })
  const taken = look(sending, [entry(open, 'accepted')], { open })
  const running = look(taken, [], { open, activity: [{ session: open, state: 'running', title: null }] })
  expect([waiting, sending, taken, running].map(shape)).toEqual([[[open, 'waiting']], [[open, 'sending']], [[open, 'taken']], [[open, 'taken']]])
  expect(running[0]?.words).toBe('first words')
  expect(look(running, [entry(open, 'accepted')], { open, named: open, activity: [queued('stored')] })).toEqual([])
})
test('a chat that is not open keeps its row as long as the relay lists it under that name', () => {
  const waiting = look([], [entry('draft:a', 'waiting')])
  expect(shape(look(waiting, [entry('draft:a', 'accepted')], { activity: [queued('draft:a')] }))).toEqual([['draft:a', 'taken']])
  expect(look(waiting, [entry('draft:a', 'accepted')], { activity: [queued('stored')] })).toEqual([])
})
test('a discarded message takes its row along', () => {
  expect(look(look([], [entry('draft:a', 'refused')], { open: 'draft:a' }), [], { open: 'draft:a' })).toEqual([])
})
test('the row is named by the beginning of the message, on one line', () => {
  const words = look([], [entry('draft:a', 'waiting', `  one\n\ntwo ${'x'.repeat(WAITING_WORDS_MAX * 3)}`)])[0]?.words ?? ''
  expect([words.startsWith('one two xxx'), words.length]).toEqual([true, WAITING_WORDS_MAX])
})
