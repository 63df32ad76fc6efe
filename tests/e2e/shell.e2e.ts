/** The frame of the page: everything by keyboard, layers that Back and Escape close, settings that hold, every state for everybody. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage, PHONE, say, type Watched } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
let context: BrowserContext
let watched: Watched
let page: Page
beforeAll(async () => { browser = await launchBrowser() })
afterAll(() => browser.close())
beforeEach(async () => { relay = await startRelay() })
afterEach(async () => {
  await context.close()
  await relay.stop()
  expect(watched.complaints).toEqual([])
})
async function open(options: BrowserContextOptions, words: readonly string[] = []): Promise<void> {
  context = await browser.newContext(options)
  context.setDefaultTimeout(10_000)
  watched = await openPage(context, relay.ready.claimUrl)
  page = watched.page
  await page.waitForSelector(COMPOSER)
  for (const one of words) {
    await say(page, `say: ${one}`)
    await page.waitForSelector(`.ai >> text=${one}`)
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await page.keyboard.press('Control+Shift+O')
    await page.waitForSelector('text=What should we get done?')
  }
}
const goTo = async (hash: string, words: string): Promise<void> => { await page.evaluate((to) => { location.hash = to }, hash); await page.waitForSelector(`h1 >> text=${words}`) }
const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.getAttribute('data-key') ?? document.activeElement?.textContent ?? '')
async function tabTo(words: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused()).trim() === words) return
    await page.keyboard.press(key)
  }
  throw new Error(`${words} was not reached; the focus is on ${await focused()}`)
}
async function axeIsSilent(): Promise<void> {
  await page.waitForTimeout(250) // What moves in has arrived.
  expect(await axeFaults(page)).toEqual([])
}

test('with the keyboard alone: find, rename, delete and take back, colours, the list of keys', async () => {
  await open({ ...DESKTOP, colorScheme: 'dark' }, ['a word about otters', 'a word about rain'])
  await page.waitForSelector('.row >> text=otters')
  await page.focus(COMPOSER)
  await page.keyboard.press('Control+k')
  expect(await focused()).toBe('Search conversations')
  await page.keyboard.type('otters')
  await page.waitForSelector('.row >> text=rain', { state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('F2')
  await page.waitForSelector('input[name=title]:focus')
  await page.keyboard.type('Otters, renamed')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.row b >> text=Otters, renamed')
  await page.waitForSelector('.row .open:focus')
  await page.keyboard.press('Delete')
  await page.waitForSelector('.row b >> text=Otters, renamed', { state: 'detached' })
  await tabTo('Undo')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.row b >> text=Otters, renamed')

  await page.keyboard.press('Control+k')
  await page.keyboard.press('Escape') // Empties the search first.
  await page.waitForSelector('.row >> text=rain')
  await tabTo('Settings', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:focus >> text=Appearance')
  expect(await page.title()).toContain('Appearance')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('html[data-theme=light]')
  await page.reload()
  await page.waitForSelector('html[data-theme=light] h1 >> text=Appearance') // Kept, and the same place.

  await page.focus('.rail [aria-label="Devices"]')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog.sheet >> text=Search conversations')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog.sheet', { state: 'detached' })
  expect(await focused()).toBe('Devices')
})

test('a menu: arrows, first letters, Escape and Back give the focus back and leave no entry behind', async () => {
  await open(DESKTOP, ['a word about otters'])
  await page.locator('.row .open', { hasText: 'otters' }).click()
  await page.waitForSelector('.ai >> text=otters')
  const chat = page.url()
  const entries = await page.evaluate(() => history.length)
  await page.locator('.row', { hasText: 'otters' }).locator('.more').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=menuitem]:focus >> text=Rename')
  await page.keyboard.press('d')
  await page.waitForSelector('[role=menuitem]:focus >> text=Delete')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('[role=menuitem]:focus >> text=Rename')
  await page.keyboard.press('Escape')
  await page.waitForSelector('[role=menu]', { state: 'detached' })
  expect(await focused()).toContain('More for')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=menu]')
  await page.waitForTimeout(100)
  await page.goBack()
  await page.waitForSelector('[role=menu]', { state: 'detached' })
  expect(page.url()).toBe(chat)
  await page.waitForTimeout(100)
  expect(await page.evaluate(() => [history.length, (history.state as { layers?: number } | null)?.layers ?? 0])).toEqual([entries + 1, 0]) // One that lies ahead, none behind.
  await page.goBack()
  await page.waitForSelector('text=What should we get done?')
})

test('on a phone: Back closes the menu, then the drawer, and stays in the conversation', async () => {
  await open(PHONE, ['from a pocket'])
  const before = page.url()
  await page.click('.bar [aria-label="Conversations"]')
  await page.locator('dialog[open] .row .more').first().click()
  await page.waitForSelector('[role=menu]')
  await page.waitForTimeout(150)
  await page.goBack()
  await page.waitForSelector('[role=menu]', { state: 'detached' })
  expect(await page.locator('dialog[open]').count()).toBe(1)
  await page.goBack()
  await page.waitForSelector('dialog[open]', { state: 'detached' })
  expect(page.url()).toBe(before)
  expect(await focused()).toBe('Conversations')
  await page.click('.bar [aria-label="Conversations"]')
  await page.locator('dialog[open] .row .open', { hasText: 'pocket' }).click()
  await page.waitForSelector('.ai >> text=from a pocket')
  await page.goBack() // The drawer left no entry between the two.
  await page.waitForSelector('text=What should we get done?')
  expect(await page.locator('dialog[open]').count()).toBe(0)
})

/** Controls that a finger of 44 px, put on their middle, would miss. */
const tooSmall = (): Promise<string[]> => page.evaluate(() => {
  const missed: string[] = []
  for (const one of document.querySelectorAll<HTMLElement>('button, a[href], [role=switch], .seg label, input[type=search]')) {
    const box = one.getBoundingClientRect()
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    const hits = (dx: number, dy: number): boolean => { const found = document.elementFromPoint(x + dx, y + dy); return found !== null && (one.contains(found) || found.contains(one) && found.matches('search, label')) }
    if (box.width === 0 || !hits(0, 0)) continue // Under something else, or out of sight.
    for (const [dx, dy] of [[-21, 0], [21, 0], [0, -21], [0, 21]] as const) if (!hits(dx, dy)) missed.push(`${one.getAttribute('aria-label') ?? one.textContent} (${Math.round(box.width)} x ${Math.round(box.height)})`)
  }
  return [...new Set(missed)]
})

test('on a phone everything is large enough for a finger', async () => {
  await open(PHONE, ['from a pocket'])
  await page.click('.bar [aria-label="Conversations"]')
  await page.waitForSelector('dialog .row >> text=pocket')
  await page.waitForTimeout(300)
  expect(await tooSmall()).toEqual([])
  for (const [hash, words] of [['#/settings', 'Settings'], ['#/settings/appearance', 'Appearance'], ['#/settings/chat', 'Chat'], ['#/settings/notifications', 'Notifications'], ['#/settings/browser', 'This browser']] as const) {
    await goTo(hash, words)
    await page.waitForTimeout(200)
    expect([hash, await tooSmall()]).toEqual([hash, []])
  }
})

test('pinned ones stand on top and archived ones leave the list, and come back; the width of the list is kept', async () => {
  await open(DESKTOP, ['a word about otters', 'a word about rain'])
  const row = page.locator('.row', { hasText: 'otters' })
  await row.hover()
  await row.locator('.more').click()
  await page.click('[role=menuitem] >> text=Pin')
  await page.waitForSelector('.fixed-item:first-child:has(h3:text("Pinned")) .row >> text=otters')
  await page.waitForSelector('.row .open:focus >> text=otters') // It moved, and the focus with it.
  await page.reload()
  await page.waitForSelector('.fixed-item:first-child:has(h3:text("Pinned")) .row >> text=otters')
  await row.hover()
  await row.locator('.more').click()
  await page.click('[role=menuitem] >> text=Unpin')
  await page.waitForSelector('h3 >> text=Pinned', { state: 'detached' })
  await row.hover()
  await row.locator('.more').click()
  await page.click('[role=menuitem] >> text=Archive')
  await row.waitFor({ state: 'detached' })
  await page.click('.chip >> text=Archived')
  await row.waitFor()
  await row.hover()
  await row.locator('.more').click()
  await page.click('[role=menuitem] >> text=Back to the list')
  await page.click('.chip >> text=All')
  await row.waitFor()
  await page.focus('[role=separator]')
  await page.keyboard.press('End')
  expect(await page.getAttribute('[role=separator]', 'aria-valuenow')).toBe('400')
  await page.reload()
  await page.waitForSelector('[role=separator][aria-valuenow="400"]')
  await page.focus(COMPOSER)
  await page.keyboard.press('Control+b')
  await page.waitForSelector('.app > aside', { state: 'detached' })
  await page.keyboard.press('Control+b')
  await page.waitForSelector('.app > aside .row')
})

test.each([['dark desktop', { ...DESKTOP, colorScheme: 'dark' }], ['light phone', { ...PHONE, colorScheme: 'light' }], ['light desktop', { ...DESKTOP, colorScheme: 'light' }], ['dark phone', { ...PHONE, colorScheme: 'dark' }]] as const)('axe is silent in every state: %s', async (name, options) => {
  const isPhone = name.endsWith('phone')
  await open(options, ['a word about otters'])
  if (isPhone) await page.click('.bar [aria-label="Conversations"]')
  await page.waitForSelector('.row >> text=otters')
  await page.fill('input[type=search]', 'otters')
  await axeIsSilent()
  await page.locator('.row .more').first().click()
  await page.waitForSelector('[role=menu]')
  await axeIsSilent()
  await page.keyboard.press('Escape')
  for (const [hash, words] of [['#/settings', isPhone ? 'Settings' : 'Appearance'], ['#/settings/chat', 'Chat'], ['#/settings/notifications', 'Notifications'], ['#/settings/browser', 'This browser'], ['#/settings/shortcuts', 'Keyboard'], ['#/settings/about', 'About'], ['#/nothing', 'There is no such page']] as const) {
    await goTo(hash, words)
    await axeIsSilent()
  }
  await goTo('#/settings/browser', 'This browser')
  await page.click('.li >> text=Sign out >> nth=-1')
  await page.waitForSelector('dialog.sheet')
  await axeIsSilent()
})

test('320 px with letters of twice the size: nothing is cut off sideways', async () => {
  await open({ ...PHONE, viewport: { width: 320, height: 640 } }, ['a word about otters'])
  const grow = (): Promise<number> => page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('body *')].map((one) => [one, Number.parseFloat(getComputedStyle(one).fontSize)] as const)
    for (const [one, size] of all) if (!one.dataset['grown']) { one.style.fontSize = `${size * 2}px`; one.style.lineHeight = 'normal'; one.dataset['grown'] = 'yes' }
    return document.documentElement.scrollWidth - innerWidth
  })
  for (const [hash, words] of [['#/settings', 'Settings'], ['#/settings/appearance', 'Appearance'], ['#/settings/browser', 'This browser'], ['#/settings/shortcuts', 'Keyboard'], ['#/nothing', 'There is no such page']] as const) {
    await goTo(hash, words)
    expect([hash, await grow()]).toEqual([hash, 0])
  }
  await page.evaluate(() => { location.hash = '' })
  await page.click('.bar [aria-label="Conversations"]')
  await page.waitForSelector('dialog .row >> text=otters')
  expect(await grow()).toBeLessThanOrEqual(0)
})

test('large letters on a small phone: what is written can be seen and sent, and a line of the conversation is left', async () => {
  await open({ ...PHONE, viewport: { width: 320, height: 568 } }, ['a word about otters'])
  await page.click('.bar [aria-label="Conversations"]')
  await page.click('dialog .row >> text=otters')
  await page.waitForSelector('.ai >> text=a word about otters')
  const ways: [string, () => Promise<unknown>][] = [
    ['the largest text of the settings', () => page.evaluate(() => { document.documentElement.dataset['scale'] = '1.3' })],
    ['twice', () => page.evaluate(() => { document.documentElement.dataset['scale'] = '1'; document.documentElement.style.setProperty('--zoom', '2') })],
    ['the zoom of the browser', async () => { await page.evaluate(() => document.documentElement.style.removeProperty('--zoom')); await page.setViewportSize({ width: 160, height: 284 }) }],
  ]
  for (const [name, set] of ways) {
    await set()
    await page.fill(COMPOSER, Array.from({ length: 14 }, (_, line) => `line ${line} of a longer message`).join('\n'))
    await page.waitForTimeout(300)
    const seen = await page.evaluate((composer) => {
      const place = (query: string) => document.querySelector(query)?.getBoundingClientRect() ?? new DOMRect()
      const line = 24 * ((document.querySelector('.chat') as HTMLElement & { currentCSSZoom?: number }).currentCSSZoom ?? 1)
      return { lines: Math.floor(place('.chat > .scroll').height / line), fieldLines: Math.floor(place(composer).height / line), sendsAt: place('.send').bottom <= innerHeight && place('.send').right <= innerWidth, sideways: document.documentElement.scrollWidth - innerWidth, down: document.documentElement.scrollHeight - innerHeight }
    }, COMPOSER)
    expect([name, seen.lines >= 1, seen.fieldLines >= 2, seen.sendsAt, seen.sideways, seen.down]).toEqual([name, true, true, true, 0, 0])
    await axeIsSilent()
  }
  await page.fill(COMPOSER, 'say: sent with large letters')
  await page.click('[aria-label="Send"]')
  await page.locator('.me', { hasText: 'sent with large letters' }).waitFor()
})

test('the page of primitives is not in the product', async () => {
  await open(DESKTOP)
  await goTo('#/dev/ui', 'There is no such page')
  const files = readdirSync('dist/web/assets').filter((name) => name.endsWith('.js'))
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((name) => readFileSync(`dist/web/assets/${name}`, 'utf8').includes('dev-ui-page-of-primitives'))).toEqual([])
})
