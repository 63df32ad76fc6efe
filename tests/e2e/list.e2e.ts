/** The list of conversations, the wait for an approval, and the phone. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
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
async function open(options: typeof DESKTOP): Promise<void> {
  context = await browser.newContext(options)
  watched = await openPage(context, relay.ready.claimUrl)
  page = watched.page
  await page.waitForSelector(COMPOSER)
}

test('a conversation is found, renamed, deleted and taken back', async () => {
  await open(DESKTOP)
  await say(page, 'say: a word about otters')
  await page.waitForSelector('.ai >> text=a word about otters')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  const row = page.locator('.row', { hasText: 'otters' })
  await row.hover()
  await row.locator('.more').click()
  await row.getByText('Rename').click()
  await page.fill('input[name=title]', 'All about otters')
  await page.press('input[name=title]', 'Enter')
  await page.waitForSelector('.row b >> text=All about otters')
  await page.fill('input[type=search]', 'nothing like it')
  await page.waitForSelector('text=Nothing found.')
  await page.fill('input[type=search]', 'OTTERS')
  await page.waitForSelector('.row b >> text=All about otters')
  await row.hover()
  await row.locator('.more').click()
  await row.getByText('Delete').click()
  await page.waitForSelector('.row b >> text=All about otters', { state: 'detached' })
  await page.click('.toast >> text=Undo')
  await page.waitForSelector('.row b >> text=All about otters')
})

test('an open conversation is renamed, archived, deleted and taken back in its own menu, by keys alone', async () => {
  await open(DESKTOP)
  expect(await page.locator('.bar [aria-label="More"]').count()).toBe(0) // Not begun: there is nothing to rename.
  await say(page, 'say: a word about otters')
  await page.waitForSelector('.ai >> text=a word about otters')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  await page.waitForSelector('.row >> text=otters')
  const choose = async (letter: string): Promise<void> => {
    await page.focus('.bar [aria-label="More"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="menu"]')
    await page.keyboard.press(letter)
    await page.keyboard.press('Enter')
  }
  await choose('r')
  await page.waitForSelector('dialog.sheet input[name=title]')
  expect((await page.locator('dialog.sheet').boundingBox())?.width).toBeLessThanOrEqual(480) // Also in the page that was the one of the code.
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.type('All about otters')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.bar h1 >> text=All about otters')
  await page.waitForSelector('.row b >> text=All about otters')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('More')
  for (const letter of ['a', 'd']) {
    await choose(letter)
    await page.waitForSelector('text=What should we get done?')
    await page.waitForSelector('.row b >> text=All about otters', { state: 'detached' })
    await page.click('.toast >> text=Undo')
    await page.click('.row b >> text=All about otters')
    await page.waitForSelector('.ai >> text=a word about otters')
  }
  await say(page, 'count 400 50')
  await page.waitForSelector('text=/5 6 7/')
  await choose('d')
  await page.waitForSelector('dialog.sheet >> text=Delete a conversation that is at work?')
  await page.click('dialog.sheet >> text=Stop and delete')
  await page.waitForSelector('text=What should we get done?')
  await page.waitForSelector('.row b >> text=All about otters', { state: 'detached' })
})

test('the agent waits 30 minutes when it is told to, and forgets it again', async () => {
  await open(DESKTOP)
  await say(page, 'danger')
  await page.click('text=Wait 30 minutes for me')
  await page.waitForSelector('.pill[aria-pressed="true"] >> text=Waits 30 minutes for me')
  await page.click('.askcard >> text=Deny')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  await say(page, 'danger')
  await page.waitForSelector('.askcard')
  await page.click('text=Waits 30 minutes for me')
  await page.waitForSelector('.pill[aria-pressed="false"]')
})

test('on a phone: drawer, chat, back to the list', async () => {
  await open(PHONE)
  await say(page, 'say: from a pocket')
  await page.waitForSelector('.ai >> text=from a pocket')
  await page.click('.bar [aria-label="Conversations"]')
  await page.waitForSelector('dialog[open] .row >> text=from a pocket')
  await page.click('dialog[open] [aria-label="New chat"]')
  await page.waitForSelector('text=What should we get done?')
  expect(await page.locator('dialog[open]').count()).toBe(0)
})

test('a new chat says what it runs with, and that a mode asks nobody', async () => {
  await open(DESKTOP)
  await page.selectOption('.pill:has-text("Approval") select', 'off')
  await page.waitForSelector('text=without asking you')
})

test('many conversations: only those in sight are drawn, the rest is read while it is scrolled; the composer stays on the screen', async () => {
  await open(DESKTOP)
  const total = 450
  const rows = Array.from({ length: total }, (_, index) => ({ id: `many-${index}`, title: `Conversation ${index}`, preview: 'words', started_at: 1_700_000_000 - index, last_active: 1_700_000_000 - index, message_count: 1 }))
  await page.route('**/dashboard/api/sessions?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
    return route.fulfill({ json: { sessions: rows.slice(offset, offset + limit), total, limit, offset } })
  })
  await page.reload()
  await page.waitForSelector('.row >> text=Conversation 0')
  const box = await page.locator(COMPOSER).boundingBox()
  expect((box?.y ?? 9_999) + (box?.height ?? 0)).toBeLessThan(800)
  expect(await page.locator('.row').count()).toBeLessThan(40)
  expect(await page.locator('.fixed-item').first().getAttribute('aria-setsize')).toBe('-1') // Nobody knows yet how many there are.
  await page.focus('.row [data-key="many-0"]')
  for (let turn = 0; turn < 12 && (await page.locator('.row >> text=Conversation 449').count()) === 0; turn += 1) {
    await page.evaluate(() => { const list = document.querySelector('.list'); if (list) list.scrollTop = list.scrollHeight })
    await page.waitForTimeout(200)
  }
  await page.waitForSelector('.row >> text=Conversation 449')
  expect(await page.locator('.row').count()).toBeLessThan(45)
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-key'))).toBe('many-0') // The row with the focus is never taken away.
  expect(await page.locator('.fixed-item', { hasText: 'Conversation 449' }).getAttribute('aria-posinset')).toBe('451') // Behind the chat that is not begun.
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight)).toBe(true)
})

test('a draft in a chat begun in this tab is there after a reload', async () => {
  await open(DESKTOP)
  await say(page, 'say: the first word')
  await page.waitForSelector('.ai >> text=the first word')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  await page.fill(COMPOSER, 'not sent yet')
  await page.waitForTimeout(300)
  await page.reload()
  await page.waitForFunction((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value === 'not sent yet', COMPOSER)
})
