/** Days begin at midnight of this place, on the two odd days of the year too. */
import { expect, test } from 'vitest'
import { daysAgo, groupsAt, shortWhen } from './when.ts'

test('the name of a day is the number of midnights between, at every hour of two years', () => {
  for (let day = 0; day < 730; day += 61) {
    const nowMs = new Date(2026, 0, 1 + day, 15, 30).getTime()
    const groupOf = groupsAt(nowMs)
    for (let hour = -2; hour < 24 * 40; hour += 1) {
      const atMs = nowMs - hour * 3_600_000
      const days = daysAgo(atMs, nowMs)
      expect(groupOf(atMs)).toBe(days <= 0 ? 'Today' : days === 1 ? 'Yesterday' : days < 7 ? 'This week' : days < 31 ? 'This month' : 'Earlier')
    }
  }
})
test('the last second of yesterday is yesterday', () => {
  const groupOf = groupsAt(new Date(2026, 5, 2, 0, 0, 1).getTime())
  expect([groupOf(new Date(2026, 5, 2).getTime()), groupOf(new Date(2026, 5, 2).getTime() - 1), groupOf(0)]).toEqual(['Today', 'Yesterday', 'Earlier'])
})
test('short times', () => {
  const nowMs = new Date(2026, 5, 2, 12).getTime()
  expect([shortWhen(0, nowMs), shortWhen(nowMs - 59_999, nowMs), shortWhen(nowMs - 60_000, nowMs), shortWhen(nowMs - 3_599_999, nowMs)]).toEqual(['', 'now', '1 m', '59 m'])
  expect(shortWhen(new Date(2026, 4, 31, 9).getTime(), nowMs)).toBe(new Date(2026, 4, 31).toLocaleDateString([], { weekday: 'short' }))
})
