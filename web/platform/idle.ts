/** Work for when nobody waits: after the page has loaded, in an idle moment. */

/** Waits this long after the page is there, in ms: a cold load on a slow device is not disturbed. */
const SETTLE_MS = 800

/** Returns how to give it up. */
export function whenIdle(run: () => void, settleMs = SETTLE_MS): () => void {
  let over = false
  const idle = (): void => { if (over) return; if ('requestIdleCallback' in globalThis) requestIdleCallback(() => { if (!over) run() }, { timeout: 5_000 }); else run() }
  const timer = setTimeout(idle, settleMs)
  return () => { over = true; clearTimeout(timer) }
}
