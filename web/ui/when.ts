/** Times in words, short as a list needs them. */

const day = (ms: number): number => { const date = new Date(ms); return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() }
const DAY_MS = 86_400_000

/** How many midnights lie between. */
export const daysAgo = (atMs: number, nowMs: number): number => Math.round((day(nowMs) - day(atMs)) / DAY_MS)

const clock = (atMs: number): string => new Date(atMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

export function shortWhen(atMs: number, nowMs: number): string {
  if (atMs <= 0) return ''
  if (nowMs - atMs < 60_000) return 'now'
  if (nowMs - atMs < 3_600_000) return `${Math.floor((nowMs - atMs) / 60_000)} m`
  const days = daysAgo(atMs, nowMs)
  if (days === 0) return clock(atMs)
  return days < 7 ? new Date(atMs).toLocaleDateString([], { weekday: 'short' }) : new Date(atMs).toLocaleDateString([], { month: 'short', day: 'numeric' })
}

export function stampWhen(atMs: number, nowMs: number): string {
  const days = daysAgo(atMs, nowMs)
  const name = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : new Date(atMs).toLocaleDateString([], { weekday: 'short', month: 'short', day: 'numeric' })
  return `${name} ${clock(atMs)}`
}

export function groupOf(atMs: number, nowMs: number): string {
  const days = daysAgo(atMs, nowMs)
  return days <= 0 ? 'Today' : days === 1 ? 'Yesterday' : days < 7 ? 'This week' : days < 31 ? 'This month' : 'Earlier'
}

/** "0:41", "12:05". */
export const minutes = (ms: number): string => { const s = Math.max(0, Math.round(ms / 1_000)); return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}` }
