/** Times in words, short as a list needs them. */

const day = (ms: number): number => { const date = new Date(ms); return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() }
const DAY_MS = 86_400_000

/** How many midnights lie between. */
export const daysAgo = (atMs: number, nowMs: number): number => Math.round((day(nowMs) - day(atMs)) / DAY_MS)

/** Made once, when it is first used: a list asks for hundreds of times while it is scrolled. */
const words = (options: Intl.DateTimeFormatOptions): ((atMs: number) => string) => {
  let format: Intl.DateTimeFormat | undefined
  return (atMs) => {
    format ??= new Intl.DateTimeFormat([], options)
    return format.format(atMs)
  }
}
const clock = words({ hour: '2-digit', minute: '2-digit' })
const weekday = words({ weekday: 'short' })
const monthDay = words({ month: 'short', day: 'numeric' })
const dayOfWeek = words({ weekday: 'short', month: 'short', day: 'numeric' })

export function shortWhen(atMs: number, nowMs: number): string {
  if (atMs <= 0) return ''
  if (nowMs - atMs < 60_000) return 'now'
  if (nowMs - atMs < 3_600_000) return `${Math.floor((nowMs - atMs) / 60_000)} m`
  const days = daysAgo(atMs, nowMs)
  if (days === 0) return clock(atMs)
  return days < 7 ? weekday(atMs) : monthDay(atMs)
}

export function stampWhen(atMs: number, nowMs: number): string {
  const days = daysAgo(atMs, nowMs)
  const name = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : dayOfWeek(atMs)
  return `${name} ${clock(atMs)}`
}

/** Names of days for a whole list at once: the midnights between them are looked up once, not for each of thousands of rows. */
export function groupsAt(nowMs: number): (atMs: number) => string {
  const now = new Date(nowMs)
  const midnight = (days: number): number => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime()
  const [today, yesterday, week, month] = [midnight(0), midnight(1), midnight(6), midnight(30)]
  return (atMs) => (atMs >= today ? 'Today' : atMs >= yesterday ? 'Yesterday' : atMs >= week ? 'This week' : atMs >= month ? 'This month' : 'Earlier')
}

/** "0:41", "12:05". */
export const minutes = (ms: number): string => { const s = Math.max(0, Math.round(ms / 1_000)); return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}` }
