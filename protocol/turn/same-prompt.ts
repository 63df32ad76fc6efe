/**
 * Whether a stored row is this message. Upstream stores a prompt verbatim (M1), except for `@` references: it takes them out and
 * appends what they stand for or why they could not be read (agent/context_references.py of 0.19.0). Pure.
 */

const REFERENCE = /(?<![\w/])@(?:(?:diff|staged)\b|(?:file|folder|git|url):(?:"[^"]*"|'[^']*'|`[^`]*`|\S+)(?::\d+(?:-\d+)?)?)/g
const APPENDED = /(?:^|\n\n)--- (?:Context Warnings|Attached Context) ---\n/
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text as every UTF-8 store keeps it: half a surrogate pair becomes the replacement character. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd')

export function isSamePrompt(stored: string, sent: string): boolean {
  if (stored === sent || stored.trim() === sent.trim()) return true
  const whole = wellFormed(sent)
  if (stored.trim() === whole.trim()) return true
  return whole.search(REFERENCE) >= 0 && bare(stored.split(APPENDED, 1)[0] ?? '') === bare(whole)
}

/** What is left of a prompt when references, blanks and the punctuation around them are out: Hermes closes the gaps they leave. */
const bare = (text: string): string => text.replace(REFERENCE, '').replace(/[\s,.;:!?]+/g, '')

/** Rows of role `user` that the server wrote itself: notices of processes and delegations, system prose (contract gateway.md 10.4). */
export const isServerNotice = (text: string): boolean => /^\[(?:IMPORTANT: |ASYNC DELEGATION BATCH COMPLETE|System:)/.test(text)
