/** Every screen for everybody: axe finds nothing, 360 to 1440 px hold, the keyboard reaches everything, plain http says what is missing. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage, PHONE, say } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
beforeAll(async () => {
  browser = await launchBrowser()
  relay = await startRelay()
})
afterAll(async () => {
  await browser.close()
  await relay.stop()
})

const widthHolds = async (page: Page): Promise<void> => expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
async function axeIsSilent(page: Page): Promise<void> {
  expect(await axeFaults(page)).toEqual([])
}

/** A fresh code from a signed-in page; the printed one works once. */
let admin: Page | null = null
async function claim(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  if (!admin) {
    admin = (await openPage(context, relay.ready.claimUrl)).page
    await admin.waitForSelector(COMPOSER)
    return admin
  }
  await admin.evaluate(() => { location.hash = '' }) // A code that is shown already was used already.
  await admin.waitForSelector('.fresh-code', { state: 'detached' })
  await admin.evaluate(() => { location.hash = '#/devices' })
  await admin.click('text=Add a device')
  const code = (await admin.textContent('.fresh-code .code'))?.trim() ?? ''
  const { page } = await openPage(context, `${relay.ready.appUrl}#claim=${code}`)
  await page.waitForSelector(COMPOSER)
  return page
}

test.each([['desktop dark', { ...DESKTOP, colorScheme: 'dark' }], ['desktop light', { ...DESKTOP, colorScheme: 'light' }], ['phone dark', { ...PHONE, colorScheme: 'dark' }], ['phone light', { ...PHONE, colorScheme: 'light' }]] as const)('axe is silent on every screen: %s', async (_name, options) => {
  const context = await browser.newContext(options)
  const { page: door } = await openPage(context, relay.ready.appUrl)
  await door.waitForSelector('.code-in')
  await axeIsSilent(door)
  await widthHolds(door)
  await context.close()

  const page = await claim(options)
  await axeIsSilent(page)
  await widthHolds(page)
  await say(page, 'danger')
  await page.waitForSelector('.askcard')
  await page.waitForTimeout(400)
  await axeIsSilent(page)
  await widthHolds(page)
  await page.click('.askcard >> text=Deny')
  await page.waitForSelector('.askcard', { state: 'detached' })
  await page.evaluate(() => { location.hash = '#/devices' })
  await page.waitForSelector('.li')
  await axeIsSilent(page)
  await widthHolds(page)
})

test.each([360, 414, 768, 1024, 1440])('the page fits into %i px', async (width) => {
  const page = await claim({ viewport: { width, height: 740 } })
  await say(page, 'tool: terminal ls -la /a/very/long/path/that/does/not/want/to/end/because/it/never/does/so/there')
  await page.waitForSelector('summary.step')
  await page.click('summary.step')
  await widthHolds(page)
  await page.context().close()
})

test('a whole conversation with the keyboard alone', async () => {
  const page = await claim(DESKTOP)
  await page.focus(COMPOSER)
  await page.keyboard.type('danger')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('danger')
  expect(await page.inputValue(COMPOSER)).toBe('danger\ndanger')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.askcard')
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Shift+Tab')
    if ((await page.evaluate(() => document.activeElement?.textContent))?.trim() === 'Deny') break
  }
  expect((await page.evaluate(() => document.activeElement?.textContent))?.trim()).toBe('Deny')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.askcard', { state: 'detached' })
  await page.context().close()
})

test('reduced motion: nothing moves for longer than an eye blink', async () => {
  const page = await claim({ ...DESKTOP, reducedMotion: 'reduce' })
  await say(page, 'slow 3000')
  await page.waitForSelector('.spin')
  const durations = await page.evaluate(() => document.getAnimations().map((animation) => Number(animation.effect?.getTiming().duration ?? 0)))
  expect(Math.max(0, ...durations)).toBeLessThanOrEqual(1)
  await page.context().close()
})
