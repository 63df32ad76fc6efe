/**
 * New chats whose first words have not left this browser: Hermes does not know them, so no list that is read from it holds them. A row
 * stays until its conversation has a stored id, so that the list does not blink while the words go out. Pure.
 */
import type { Activity } from '#protocol/live/live-frame.ts'
import type { OutboxEntry } from '../outbox/outbox.ts'

/** Characters of a message that name its row. */
export const WAITING_WORDS_MAX = 120

/** `taken`: the relay has the words and Hermes not yet. */
export type WaitingChat = { key: string; words: string; atMs: number; state: 'waiting' | 'refused' | 'sending' | 'taken' }

/** `open`: the chat on the screen. `named`: that one, once it has a stored id. A message that goes out at once, as it does with a link, makes no row. */
export function waitingChats(before: readonly WaitingChat[], { entries, activity, open, named }: { entries: readonly OutboxEntry[]; activity: readonly Activity[]; open: string | null; named: string | null }): WaitingChat[] {
  const keys = [...new Set([...before.map((chat) => chat.key), ...entries.map((entry) => entry.session)])].filter((key) => key.startsWith('draft:') && key !== named)
  return keys.flatMap((key): WaitingChat[] => {
    const known = before.find((chat) => chat.key === key)
    const mine = entries.filter((entry) => entry.session === key)
    const unsent = mine.filter((entry) => entry.phase !== 'accepted')
    const state = unsent.some((entry) => entry.phase === 'refused') ? 'refused' : unsent.some((entry) => entry.phase === 'waiting') ? 'waiting' : unsent.length > 0 ? 'sending' : 'taken'
    const stays = known !== undefined && (state === 'sending' || (state === 'taken' && ((key === open && mine.length > 0) || activity.some((one) => one.session === key))))
    if (state !== 'refused' && state !== 'waiting' && !stays) return []
    const first = mine[0]
    return [first ? { key, words: firstWords(first.text), atMs: first.atMs, state } : { ...known as WaitingChat, state }]
  }).sort((a, b) => b.atMs - a.atMs)
}

const firstWords = (text: string): string => text.slice(0, WAITING_WORDS_MAX * 2).replace(/\s+/g, ' ').trim().slice(0, WAITING_WORDS_MAX)
