import { expect, test, vi } from 'vitest'
import { onBeforeLeave, SAVE_WITHIN_MS, saveAll, saveWhenLeft } from './before-leave.ts'

test('who leaves waits for every editor, also when one of them fails', async () => {
  const saved: string[] = []
  const forget = [onBeforeLeave(async () => { await Promise.resolve(); saved.push('a') }), onBeforeLeave(() => Promise.reject(new Error('disk'))), onBeforeLeave(async () => { saved.push('b') })]
  await saveAll()
  expect(saved.sort()).toEqual(['a', 'b'])
  for (const one of forget) one()
  await saveAll()
  expect(saved).toHaveLength(2)
})
test('a disk that does not answer holds nobody for longer', async () => {
  vi.useFakeTimers()
  const forget = onBeforeLeave(() => new Promise(() => undefined))
  let isOver = false
  void saveAll().then(() => { isOver = true })
  await vi.advanceTimersByTimeAsync(SAVE_WITHIN_MS - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver).toBe(true)
  forget()
  vi.useRealTimers()
})
test('a page that is hidden or left saves in the same task', () => {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const page = Object.assign(new EventTarget(), { document })
  let saves = 0
  const forget = onBeforeLeave(async () => { saves += 1 })
  saveWhenLeft(page as unknown as Window & typeof globalThis)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(saves).toBe(0)
  document.visibilityState = 'hidden'
  document.dispatchEvent(new Event('visibilitychange'))
  page.dispatchEvent(new Event('pagehide'))
  expect(saves).toBe(2)
  forget()
})
