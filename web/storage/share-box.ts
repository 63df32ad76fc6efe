/**
 * What other programs shared with this app, until a draft has taken it. The service worker puts it in before it answers; the page takes it
 * out and writes it into the draft in one transaction, so that it arrives exactly once, whichever tab or crash comes between.
 */
import type { IDBPDatabase } from 'idb'

/** Shares that wait at the same time, for instance for a sign-in; one more is refused. */
export const SHARES_MAX = 32
/** UTF-16 units of one share. */
export const SHARE_CHARS_MAX = 1_048_576
const KEY = 'shares'

const readTexts = (raw: unknown): string[] => {
  const value = (raw as { value?: unknown } | undefined)?.value
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : []
}

/** False when the box is full or the text too long: nothing is cut, nothing older falls out. */
export async function putShare(db: IDBPDatabase, text: string): Promise<boolean> {
  if (text.length > SHARE_CHARS_MAX) return false
  const tx = db.transaction('settings', 'readwrite')
  const texts = readTexts(await tx.store.get(KEY))
  const isFull = texts.length >= SHARES_MAX
  if (!isFull) await tx.store.put({ value: [...texts, text] }, KEY)
  await tx.done
  return !isFull
}

/**
 * Moves the draft at `from` and everything shared behind it to the draft `to`. A new name, because another tab may still hold the old one
 * and would write over what was added. False when nothing was shared: then nothing is moved.
 */
export async function moveSharesIntoDraft(db: IDBPDatabase, from: string | null, to: string): Promise<boolean> {
  const tx = db.transaction(['settings', 'drafts'], 'readwrite')
  const texts = readTexts(await tx.objectStore('settings').get(KEY))
  if (texts.length > 0) {
    const drafts = tx.objectStore('drafts')
    const before = from === null ? undefined : ((await drafts.get(from)) as { text?: unknown } | undefined)?.text
    const parts = [typeof before === 'string' ? before : '', ...texts].filter((text) => text.trim() !== '')
    await drafts.put({ session: to, text: parts.join('\n\n') }, to)
    if (from !== null) await drafts.delete(from)
    await tx.objectStore('settings').put({ value: to }, 'draftKey')
    await tx.objectStore('settings').delete(KEY)
  }
  await tx.done
  return texts.length > 0
}
