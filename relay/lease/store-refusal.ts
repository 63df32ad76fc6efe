/** Which refusal a failed write is: a full disk is said as such, so that the person knows what to mend. */
import { Refused, type RefusalCode } from '#protocol/refusal/refusal.ts'

export function storeRefusal(error: unknown): RefusalCode {
  if (error instanceof Refused) return error.code
  const text = error instanceof Error ? `${(error as { code?: unknown }).code ?? ''} ${error.message}` : String(error)
  return /SQLITE_FULL|ENOSPC|disk is full/i.test(text) ? 'store_full' : 'store_failed'
}
