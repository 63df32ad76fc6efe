/** The wiring of layers to a history that answers late, as browsers do. */
import { expect, test } from 'vitest'
import { createLayers } from './layers.ts'

function fakeBrowser() {
  const entries: { state: unknown; hash: string }[] = [{ state: null, hash: '#/a' }]
  let at = 0
  const heard = new Map<string, ((event: never) => void)[]>()
  const say = (type: string, event: unknown = {}): void => { for (const run of heard.get(type) ?? []) run(event as never) }
  const browser = {
    addEventListener: (type: string, run: never) => { heard.set(type, [...(heard.get(type) ?? []), run]) },
    removeEventListener: (type: string, run: never) => { heard.set(type, (heard.get(type) ?? []).filter((one) => one !== run)) },
    location: { get hash() { return entries[at]?.hash ?? '' } },
    history: {
      get state() { return entries[at]?.state },
      pushState: (state: unknown) => { entries.splice(at + 1); entries.push({ state, hash: entries[at]?.hash ?? '' }); at += 1 },
      replaceState: (state: unknown, _: string, hash?: string) => { entries[at] = { state, hash: hash ?? entries[at]?.hash ?? '' } },
      go: (by: number) => { setTimeout(() => { at = Math.max(0, at + by); say('popstate') }) },
    },
  }
  return { layers: createLayers(browser as never), browser, at: () => at, say, back: async () => { browser.history.go(-1); await quiet() } }
}
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

test('Back closes one layer, and nothing of it stays in the history', async () => {
  const one = fakeBrowser()
  const closed: string[] = []
  one.layers.push(() => closed.push('drawer'))
  one.layers.push(() => closed.push('menu'))
  await quiet()
  expect(one.at()).toBe(2)
  await one.back()
  expect(closed).toEqual(['menu'])
  await one.back()
  expect([closed, one.at(), one.layers.count()]).toEqual([['menu', 'drawer'], 0, 0])
})

test('a menu that gives way to a sheet leaves one entry; closing the sheet leaves none', async () => {
  const one = fakeBrowser()
  const closeMenu = one.layers.push(() => undefined)
  await quiet()
  closeMenu()
  const closeSheet = one.layers.push(() => undefined)
  await quiet()
  expect(one.at()).toBe(1)
  closeSheet()
  closeSheet()
  await quiet()
  expect(one.at()).toBe(0)
})

test('going elsewhere waits until the entries of the layers are gone', async () => {
  const one = fakeBrowser()
  const closed: string[] = []
  let places = 0
  one.layers.leave(() => { places += 1 })
  expect(places).toBe(1) // Nothing lies over the page: at once.
  one.layers.push(() => closed.push('drawer'))
  await quiet()
  one.layers.leave(() => { places += 1; expect(one.at()).toBe(0) })
  expect(closed).toEqual(['drawer'])
  await quiet()
  expect(places).toBe(2)
})

test('Escape is used by the top layer only, and never during composition', async () => {
  const one = fakeBrowser()
  let prevented = 0
  const press = (isComposing: boolean): void => one.say('keydown', { key: 'Escape', isComposing, defaultPrevented: false, preventDefault: () => { prevented += 1 } })
  press(false)
  let closed = 0
  one.layers.push(() => { closed += 1 })
  press(true)
  expect([prevented, closed]).toEqual([0, 0])
  press(false)
  expect([prevented, closed]).toEqual([1, 1])
  await quiet()
  expect(one.at()).toBe(0)
})

test('a conversation that got its name under a layer keeps it after Back', async () => {
  const one = fakeBrowser()
  one.layers.push(() => undefined)
  await quiet()
  one.layers.rename('#/named')
  await one.back()
  expect([one.browser.location.hash, one.at()]).toEqual(['#/named', 0])
})
