/** When a lost turn is looked for in the history (contract gateway.md 10.2): 5 s, doubling to 30 s, for a window of 30 minutes. */
export const POLL_FIRST_MS = 5_000
export const POLL_MS_MAX = 30_000
export const POLL_WINDOW_MS = 30 * 60_000

/** Times of all polls, ms since polling began. The last delay may end beyond the window; then it is over. */
export function pollTimesMs(): number[] {
  const times: number[] = []
  let atMs = 0
  for (let delayMs = POLL_FIRST_MS; atMs < POLL_WINDOW_MS; delayMs = Math.min(delayMs * 2, POLL_MS_MAX)) {
    atMs += delayMs
    times.push(atMs)
  }
  return times
}
