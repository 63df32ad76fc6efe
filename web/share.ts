/** What another program shared goes into a new draft, behind what was there, and waits for the person. It never sends. */
import { newDraftKey } from '#web/state/route.ts'
import { openPageDatabase } from '#web/storage/idb-keyed-store.ts'
import { moveSharesIntoDraft } from '#web/storage/share-box.ts'

/** Key of the draft that has it now, or `null` when nothing was shared, or another tab was faster. */
export async function takeShares(from: string | null): Promise<string | null> {
  const to = newDraftKey()
  const db = await openPageDatabase()
  try {
    return (await moveSharesIntoDraft(db, from, to)) ? to : null
  } finally {
    db.close()
  }
}
