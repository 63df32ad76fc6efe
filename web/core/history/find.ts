/** Which stored rows hold some words: what a person can see of a row, and what a step of the agent hides until it is opened. Pure. */
import { type MessageRow, rowText } from '#protocol/dashboard/message-row.ts'

/** Longest words that are looked for, in UTF-16 units. */
export const FIND_CHARS_MAX = 200
/** Places remembered of one search; a word that stands everywhere is not worth more. */
export const HITS_MAX = 2_000

/** The words as they are compared: trimmed, case does not count. */
export const findNeedle = (query: string): string => query.trim().slice(0, FIND_CHARS_MAX).toLowerCase()

/** Non-overlapping places of `needle` in `text`, as [start, end). */
export function placesOf(text: string, needle: string): [number, number][] {
  const places: [number, number][] = []
  if (needle === '') return places
  const low = text.toLowerCase()
  for (let at = low.indexOf(needle); at >= 0; at = low.indexOf(needle, at + needle.length)) places.push([at, at + needle.length])
  return places
}

export function rowHolds(row: MessageRow, needle: string): boolean {
  if (row.display_kind === 'hidden') return false
  const text = rowText(row)
  if (row.role === 'user' && text.startsWith('[System:')) return false
  if (row.role !== 'user' && row.role !== 'assistant' && row.role !== 'tool') return false
  return [text, row.reasoning ?? '', row.reasoning_content ?? '', row.tool_name ?? '', ...(row.tool_calls ?? []).map((call) => `${call.function?.name ?? ''} ${call.function?.arguments ?? ''}`)].some((part) => part.toLowerCase().includes(needle))
}
