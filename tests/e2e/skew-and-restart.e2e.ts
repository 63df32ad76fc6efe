/** An old page against a new relay keeps its drafts; a relay that died in mid-turn is found again without a reload. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { COMPOSER, DESKTOP, launchBrowser, openPage, say } from './browser.ts'
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
})
afterEach(async () => {
  await context.close()
  await relay.stop()
})

test('a page of another protocol is told to reload and keeps what was typed', async () => {
  await page.fill(COMPOSER, 'words of an old page')
  await page.routeWebSocket(/relay\/ws/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => socket.send(String(message).replace(/"protocol":\d+/, '"protocol":999')))
  })
  await page.waitForTimeout(300)
  await page.reload()
  await page.waitForSelector('text=this page is too old for it')
  await expect.poll(() => page.inputValue(COMPOSER)).toBe('words of an old page')
})

test('a relay that dies in mid-turn is found again, and chatting goes on', async () => {
  await say(page, 'count 400 40')
  await page.waitForSelector('text=/5 6 7/')
  await relay.restart()
  await page.waitForSelector('.conn >> text=connected', { timeout: 30_000 })
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached', timeout: 40_000 })
  expect(await page.locator('.me', { hasText: 'count 400' }).count()).toBeLessThanOrEqual(1)
  await page.click('[aria-label="New chat"]')
  await page.waitForSelector('text=What should we get done?')
  await say(page, 'say: still here')
  await page.waitForSelector('.ai >> text=still here')
})

test('a hint goes to the running turn and leaves the queue', async () => {
  await say(page, 'count 400 40')
  await page.waitForSelector('[aria-label="Stop"]')
  await say(page, 'say: hurry')
  await page.waitForSelector('.queue >> text=say: hurry')
  await page.click('[aria-label="Give it to the agent now, as a hint"]')
  await page.waitForSelector('.queue >> text=say: hurry', { state: 'detached' })
})
