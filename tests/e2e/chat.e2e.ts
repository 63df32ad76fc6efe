/** The page on the demo: claim, chat, questions, stop, queue, reload, two tabs, a dead relay. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { COMPOSER, DESKTOP, launchBrowser, openPage, PHONE, say, untilWorker, type Watched } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
let context: BrowserContext
let watched: Watched
let page: Page
beforeAll(async () => { browser = await launchBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  relay = await startRelay()
  context = await browser.newContext(DESKTOP)
  watched = await openPage(context, relay.ready.claimUrl)
  page = watched.page
  await page.waitForSelector('text=What should we get done?')
})
afterEach(async () => {
  await context.close()
  await relay.stop()
  expect(watched.complaints).toEqual([])
})

describe('claim', () => {
  test('the code leaves the address bar, works once, and a reload stays signed in', async () => {
    expect(page.url()).not.toContain(relay.ready.claimCode)
    await page.reload()
    await page.waitForSelector(COMPOSER)
    const other = await browser.newContext(PHONE)
    const second = await openPage(other, relay.ready.claimUrl)
    await second.page.waitForSelector('text=This code was already used.')
    await other.close()
  })
  test('a device can be added by a typed code and signed out again', async () => {
    await page.click('[aria-label="Devices"]')
    await page.click('text=Add a device')
    const code = (await page.textContent('.fresh-code .code'))?.trim() ?? ''
    const other = await browser.newContext(PHONE)
    const second = await openPage(other, relay.ready.appUrl)
    await second.page.fill('.code-in', code.toLowerCase())
    await second.page.press('.code-in', 'Enter')
    await second.page.waitForSelector(COMPOSER)
    await page.waitForSelector('text=/^Used by /', { timeout: 15_000 })
    page.once('dialog', (dialog) => void dialog.accept())
    await page.locator('.li .btn.d', { hasText: 'Sign out' }).first().click()
    await second.page.waitForSelector('.code-in')
    await other.close()
  })
})

describe('a turn', () => {
  test('begins with what the demo offers: a word of its script', async () => {
    await page.click('.sugg >> text=See a command that waits for your approval')
    await page.waitForSelector('.askcard >> text=rm -rf ./demo-danger-1')
    await page.click('.askcard >> text=Deny')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  })
  test('what was typed into a waiting message is in the composer when its turn begins', async () => {
    await say(page, 'count 60 50')
    await page.waitForSelector('text=/5 6 7/')
    await say(page, 'say: it waits')
    await page.click('.queue [aria-label="Edit"]')
    await page.fill('[aria-label="Edit waiting message"]', 'my better words')
    await page.waitForFunction((selector) => document.querySelector<HTMLTextAreaElement>(selector)?.value === 'my better words', COMPOSER)
    await page.waitForSelector('text=left the queue while you edited it')
  })
  test('the same words twice: the earlier turn stays while the second runs', async () => {
    await say(page, 'count 12 50')
    await page.waitForSelector('text=/11 12/')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await say(page, 'count 12 50')
    await page.waitForSelector('[aria-label="Stop"]')
    expect(await page.locator('.me', { hasText: 'count 12' }).count()).toBe(2)
    expect(await page.locator('.ai', { hasText: '11 12' }).count()).toBeGreaterThanOrEqual(1)
  })
  test('streams an answer once, and it is the same after a reload', async () => {
    await say(page, 'count 40')
    await page.waitForSelector('text=/38 39 40/')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    expect(await page.locator('.me', { hasText: 'count 40' }).count()).toBe(1)
    await page.reload()
    await page.waitForSelector('text=/38 39 40/')
    expect(await page.locator('.me', { hasText: 'count 40' }).count()).toBe(1)
    expect(await page.locator('.ai', { hasText: '38 39 40' }).count()).toBe(1)
  })
  test('goes on over a reload in its middle', async () => {
    await say(page, 'count 120 50')
    await page.waitForSelector('text=/10 11 12/')
    await page.reload()
    await page.waitForSelector('text=/118 119 120/')
    const words = (await page.locator('.ai .md').allTextContents()).join(' ').match(/\d+/g)?.map(Number) ?? []
    expect(words.slice(0, 120)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  })
  test('stop keeps what came', async () => {
    await say(page, 'count 900 60')
    await page.waitForSelector('text=/5 6 7/')
    await page.click('[aria-label="Stop"]')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await page.waitForSelector('text=Stopped.')
  })
  test('an approval can be denied', async () => {
    await say(page, 'danger')
    await page.waitForSelector('.askcard')
    expect(await page.title()).toContain('(1)')
    await page.click('.askcard >> text=Deny')
    await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
    await page.waitForSelector('.askcard', { state: 'detached' })
  })
  test('a question with choices is answered in own words', async () => {
    await say(page, 'ask Which colour?|red|blue')
    await page.fill('.askcard input', 'green')
    await page.press('.askcard input', 'Enter')
    await page.waitForSelector('text=/green/')
  })
  test('what is sent while it runs waits in the queue and can be removed', async () => {
    await say(page, 'count 300 40')
    await page.waitForSelector('[aria-label="Stop"]')
    await say(page, 'say: second')
    await page.waitForSelector('.queue >> text=say: second')
    await say(page, 'say: third')
    await page.waitForSelector('.queue >> text=say: third')
    await page.locator('.queue li', { hasText: 'say: third' }).locator('[aria-label="Remove"]').click()
    await page.waitForSelector('.queue >> text=say: third', { state: 'detached' })
  })
})

describe('nothing is lost', () => {
  test('a draft survives a reload, also before a conversation exists', async () => {
    await page.fill(COMPOSER, 'half a thought')
    await page.waitForTimeout(300)
    await page.reload()
    await page.waitForSelector(COMPOSER)
    await expect.poll(() => page.inputValue(COMPOSER)).toBe('half a thought')
  })
  test('what is sent offline goes out by itself, once', async () => {
    await untilWorker(page) // Its last parts are fetched a moment after the composer.
    await relay.kill()
    await say(page, 'say: from the dark')
    await page.waitForSelector('text=Waits for the connection')
    await page.reload() // From what the worker kept: nothing else answers.
    await relay.restart()
    await page.goto(relay.ready.appUrl)
    await page.waitForSelector('.row >> text=from the dark', { timeout: 30_000 })
    await page.click('.row >> text=from the dark')
    await page.waitForSelector('.ai >> text=from the dark')
    expect(await page.locator('.me', { hasText: 'from the dark' }).count()).toBe(1)
  })
  test('a second tab follows the same turn with one socket, and takes over when the first closes', async () => {
    const second = await openPage(context, 'about:blank')
    let sockets = 0
    second.page.on('websocket', () => { sockets += 1 })
    await second.page.goto(relay.ready.appUrl)
    await second.page.waitForSelector('.conn >> text=connected')
    await say(page, 'count 200 50')
    await second.page.click('.row >> nth=0')
    await second.page.waitForSelector('text=/10 11 12/')
    expect(sockets).toBe(0)
    await page.close()
    await second.page.waitForSelector('text=/198 199 200/', { timeout: 30_000 })
    const words = (await second.page.locator('.ai .md').allTextContents()).join(' ').match(/\d+/g)?.map(Number) ?? []
    expect(words.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    expect(second.complaints).toEqual([])
  })
  test('a full disk leaves the words in the composer and says so', async () => {
    await page.evaluate(() => { IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') } })
    await say(page, 'say: too much for this disk')
    await page.waitForSelector('text=The text stays here')
    expect(await page.inputValue(COMPOSER)).toBe('say: too much for this disk')
    expect(await page.locator('.me').count()).toBe(0)
  })
})
