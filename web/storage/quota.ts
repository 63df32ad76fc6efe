/** Room in this browser's storage: when it gets tight, transcripts that were read longest ago go, because Hermes has them. Drafts, unsent messages and devices never go. */

/** Of what the browser allows; above it room is made before the next transcript is kept. */
export const USED_SHARE_MAX = 0.8
/** Transcripts given up for one write; a write that still does not fit fails. */
export const EVICTIONS_MAX = 16
/** Between two looks at the estimate, in ms: it is not free. */
const LOOK_EVERY_MS = 60_000

export type Estimate = { usage?: number; quota?: number }

/** Pure. A browser that says nothing is taken at its word when a write fails. */
export const isTight = ({ usage, quota }: Estimate): boolean => usage !== undefined && quota !== undefined && quota > 0 && usage / quota > USED_SHARE_MAX
export const isFull = (error: unknown): boolean => error instanceof DOMException && error.name === 'QuotaExceededError'

/** Writes; when the browser is full, makes room and tries again. `evictOldest` says whether there was something to give up. */
export async function withRoom<Value>(put: () => Promise<Value>, evictOldest: () => Promise<boolean>): Promise<Value> {
  for (let evicted = 0; ; evicted += 1) {
    try {
      return await put()
    } catch (error) {
      if (!isFull(error) || evicted >= EVICTIONS_MAX || !(await evictOldest().catch(() => false))) throw error
    }
  }
}

/** Gives up one transcript at a time while the estimate is tight, at most `EVICTIONS_MAX`. */
export function createTidier(estimate: () => Promise<Estimate>, evictOldest: () => Promise<boolean>, nowMs: () => number): () => Promise<void> {
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    if (nowMs() - lookedAtMs < LOOK_EVERY_MS) return
    lookedAtMs = nowMs()
    for (let evicted = 0; evicted < EVICTIONS_MAX && isTight(await estimate()) && (await evictOldest()); evicted += 1);
  }
}
