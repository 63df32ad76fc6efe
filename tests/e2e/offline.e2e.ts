/** Without the network: the page starts, shows what was read last, takes words, and sends them once when the relay is back. Updates are in pwa.e2e.ts. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage, say, untilWorker } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
let context: BrowserContext
let page: Page
beforeAll(async () => { browser = await launchBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  relay = await startRelay()
  context = await browser.newContext(DESKTOP)
  page = (await openPage(context, relay.ready.claimUrl)).page
  await page.waitForSelector(COMPOSER)
  await untilWorker(page)
})
afterEach(async () => {
  await context.close()
  await relay.stop()
})
const textIn = (on: Page): Promise<string> => on.inputValue(COMPOSER)

describe('without the network', () => {
  test('a cold start shows the list and the conversation; what is written goes out once when the relay is back', async () => {
    await say(page, 'say: a word for the dark')
    await page.waitForSelector('.md >> text=a word for the dark')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await page.waitForSelector('.row >> text=a word for the dark')
    await page.waitForTimeout(500)
    const address = page.url()
    const host = await page.textContent('.conn b')
    await relay.kill()
    await page.close()
    page = await context.newPage()
    await page.goto(address)
    await page.waitForSelector('.row >> text=a word for the dark')
    await page.waitForSelector('.md >> text=a word for the dark')
    expect([host, await page.textContent('.conn b'), await page.locator('.strip-line.demo').count()]).toEqual([host, host, 1])
    expect(host).not.toBe('Relay')
    await say(page, 'say: written in the dark')
    await page.waitForSelector('text=Waits for the connection')
    await page.reload()
    await page.waitForSelector('text=Waits for the connection')
    await relay.restart()
    await page.waitForSelector('text=Waits for the connection', { state: 'detached', timeout: 40_000 })
    await expect.poll(() => page.locator('.me', { hasText: 'written in the dark' }).count()).toBe(1)
  })
  test('a new chat that waits has a row: it is found again after another chat was opened, and becomes the conversation', async () => {
    await say(page, 'say: a word before')
    await page.waitForSelector('.row >> text=a word before')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await relay.kill()
    await page.click('[aria-label="New chat"]')
    await say(page, 'say: begun in the dark')
    const row = page.locator('.row', { hasText: 'begun in the dark' })
    await row.getByText('Waits for the connection').waitFor()
    await page.reload()
    await row.waitFor()
    await page.locator('.row', { hasText: 'a word before' }).locator('.open').click()
    await page.locator('.me', { hasText: 'begun in the dark' }).waitFor({ state: 'detached' })
    expect(await axeFaults(page)).toEqual([])
    await page.fill('input[type=search]', 'BEGUN')
    await page.press('input[type=search]', 'Enter')
    await page.locator('.me', { hasText: 'begun in the dark' }).waitFor()
    await page.fill('input[type=search]', '')
    await relay.restart()
    await page.waitForSelector('.ai >> text=begun in the dark', { timeout: 40_000 })
    await row.getByText('Waits for').waitFor({ state: 'detached' })
    await expect.poll(() => row.count()).toBe(1)
    expect(await row.locator('.more').count()).toBe(1)
  })
  test('a device that is offline starts too', async () => {
    await page.fill(COMPOSER, 'half a thought')
    await page.waitForTimeout(300)
    await context.setOffline(true)
    await page.reload()
    await page.waitForSelector('text=This device is offline.')
    await expect.poll(() => textIn(page)).toBe('half a thought')
  })
})
