/** The page as an app: it can be installed, is updated when a person says so, takes what is shared, and notices a part that is gone. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { COMPOSER, DESKTOP, launchBrowser, openPage, say, untilWorker } from './browser.ts'
import { type BuiltCopy, copyBuild } from './built-copy.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let copy: BuiltCopy
let relay: RelayProcess
let context: BrowserContext
let page: Page
let complaints: string[]
beforeAll(async () => { browser = await launchBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  copy = copyBuild()
  relay = await startRelay([], copy.root)
  context = await browser.newContext(DESKTOP)
  ;({ page, complaints } = await openPage(context, relay.ready.claimUrl))
  await page.waitForSelector(COMPOSER)
})
afterEach(async () => {
  await context.close()
  await relay.stop()
  copy.remove()
  expect(complaints).toEqual([])
})

const buildOf = (on: Page): Promise<string | null> => on.getAttribute('html', 'data-build')
const drafted = (on: Page): Promise<string> => on.inputValue(COMPOSER).catch(() => '') // In the middle of a load there is none.
/** The look for a new version that the page makes by itself, without its pause. */
const lookForUpdate = (on: Page): Promise<void> => on.evaluate(async () => { await (await navigator.serviceWorker.getRegistration())?.update() })
const OFFER = 'text=A new version is ready.'
/** A busy machine is slow; nobody is asked to be fast here. */
const IN_TIME = { timeout: 15_000 }
const RELOAD = '.strip-line button:has-text("Reload")'

/** What a system's launcher does with a share: a visit by POST that no page of ours begins. */
async function share(fields: Record<string, string>): Promise<Page> {
  const launcher = await context.newPage()
  await launcher.setContent(`<form method="post" enctype="multipart/form-data" action="${new URL('/app/share', relay.ready.appUrl).href}">${Object.keys(fields).map((name) => `<textarea name="${name}"></textarea>`).join('')}<button>Share</button></form>`)
  for (const [name, value] of Object.entries(fields)) await launcher.fill(`[name="${name}"]`, value)
  await launcher.click('button')
  return launcher
}

test('a browser would install it', async () => {
  await untilWorker(page)
  const cdp = await context.newCDPSession(page)
  const { errors, data } = await cdp.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = JSON.parse(data ?? '{}') as { icons: { src: string; sizes: string; purpose: string }[]; screenshots: { src: string; sizes: string; form_factor: string }[]; shortcuts: { name: string }[] }
  expect(manifest.icons.map(({ purpose }) => purpose)).toEqual(expect.arrayContaining(['any', 'maskable', 'monochrome']))
  expect(manifest.screenshots.map((one) => one.form_factor).sort()).toEqual(['narrow', 'wide'])
  expect(manifest.shortcuts.map(({ name }) => name)).toEqual(['New chat', 'Devices'])
  const sizes = await page.evaluate((pictures) => Promise.all(pictures.filter(({ src }) => src.endsWith('.png')).map(async ({ src, sizes: said }) => {
    const { width, height } = await createImageBitmap(await (await fetch(src)).blob())
    return [said, `${width}x${height}`]
  })), [...manifest.icons, ...manifest.screenshots])
  expect(sizes).toHaveLength(6)
  for (const [said, real] of sizes) expect(real).toBe(said)
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]) // The browser calls every context of a test that.
})

test('a new version is offered and applied once in every tab: drafts and a running answer go on', async () => {
  await untilWorker(page)
  const second = await openPage(context, relay.ready.appUrl)
  await second.page.waitForSelector(COMPOSER)
  await copy.rebuild('second')
  await relay.restart()
  await page.waitForSelector('.conn >> text=connected', { timeout: 20_000 })
  await lookForUpdate(page)
  await page.waitForSelector(OFFER)
  await second.page.waitForSelector(OFFER)
  await say(page, 'count 150 40')
  await page.waitForSelector('text=/4 5 6/')
  await page.fill(COMPOSER, 'draft of the first tab')
  await second.page.click('[aria-label="New chat"]')
  await second.page.fill(COMPOSER, 'draft of the second tab')
  expect([await buildOf(page), await buildOf(second.page)]).toEqual([null, null]) // Nobody was reloaded unasked.
  let loads = 0
  for (const one of [page, second.page]) one.on('load', () => { loads += 1 })
  await page.click(RELOAD)
  for (const one of [page, second.page]) await expect.poll(() => buildOf(one).catch(() => null), IN_TIME).toBe('second')
  await expect.poll(() => drafted(page), IN_TIME).toBe('draft of the first tab')
  await expect.poll(() => drafted(second.page), IN_TIME).toBe('draft of the second tab')
  await page.waitForSelector('text=/148 149 150/', { timeout: 15_000 })
  expect(await page.locator('.col .me').count()).toBe(1)
  await lookForUpdate(page)
  await page.waitForTimeout(500)
  expect([await page.locator(OFFER).count(), await second.page.locator(OFFER).count(), loads]).toEqual([0, 0, 2])
  expect(await page.evaluate(() => caches.keys())).toHaveLength(1)
  expect(second.complaints).toEqual([])
})

test('a version that could not be loaded whole is not installed; the one that is there goes on, also without the relay', async () => {
  await untilWorker(page)
  await copy.rebuild('second')
  copy.lose(/^devices-page/)
  await relay.restart()
  await page.waitForSelector('.conn >> text=connected', { timeout: 20_000 })
  await lookForUpdate(page).catch(() => undefined)
  await page.waitForTimeout(1_500)
  expect(await page.locator(OFFER).count()).toBe(0)
  await relay.kill()
  await page.reload()
  await page.click('[aria-label="Devices"]')
  await page.waitForSelector('h2 >> text=This browser')
  expect([await buildOf(page), await page.evaluate(() => caches.keys().then((names) => names.length))]).toEqual([null, 1])
  complaints.length = 0 // The browser reports the file that it could not have.
})

test('a part of the page that is gone is said, and one reload brings the page that fits', async () => {
  const bare = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block', storageState: await context.storageState({ indexedDB: true }) })
  const open = await openPage(bare, relay.ready.appUrl)
  await open.page.fill(COMPOSER, 'kept')
  await copy.rebuild('second')
  await relay.restart()
  await open.page.click('[aria-label="Devices"]')
  await open.page.waitForSelector('text=A part of this page could not be loaded.')
  await open.page.click(RELOAD)
  await open.page.waitForSelector('h2 >> text=This browser')
  expect(await buildOf(open.page)).toBe('second')
  await open.page.goBack()
  await expect.poll(() => drafted(open.page), IN_TIME).toBe('kept')
  await bare.close()
})

test('a part that stays gone is not answered with reloads without end', async () => {
  const bare = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block', storageState: await context.storageState({ indexedDB: true }) })
  await page.close()
  copy.lose(/^devices-page/)
  await relay.restart()
  const open = await openPage(bare, new URL('#/devices', relay.ready.appUrl).href)
  await open.page.waitForSelector('text=A part of this page could not be loaded.')
  let loads = 0
  open.page.on('load', () => { loads += 1 })
  await relay.kill()
  await open.page.click(RELOAD)
  await open.page.waitForSelector('text=The relay does not answer, so a reload would not help yet.')
  await relay.restart()
  await open.page.click(RELOAD)
  await open.page.waitForSelector('text=A part of this page is still missing.')
  expect([await open.page.locator(RELOAD).count(), loads]).toEqual([0, 1])
  await open.page.click('[aria-label="Conversations"]') // The rest of the page goes on.
  await say(open.page, 'say: all the same')
  await open.page.waitForSelector('.md >> text=all the same')
  await bare.close()
})

test('what is shared becomes a draft, cold and without the relay: behind what was there, once, never sent', async () => {
  await untilWorker(page)
  await page.fill(COMPOSER, 'what was there')
  await page.waitForTimeout(200)
  await page.close()
  await relay.kill()
  const shared = await share({ title: 'A page', text: 'Read this', url: 'https://example.org/' })
  const whole = 'what was there\n\nA page\nRead this\nhttps://example.org/'
  await expect.poll(() => drafted(shared), IN_TIME).toBe(whole)
  await shared.reload()
  await expect.poll(() => drafted(shared), IN_TIME).toBe(whole)
  await shared.goBack()
  await expect.poll(() => drafted(shared), IN_TIME).toBe(whole)
  await relay.restart()
  await shared.waitForSelector('.conn >> text=connected', { timeout: 30_000 })
  await shared.waitForTimeout(300)
  expect([await drafted(shared), await shared.locator('.col .me').count()]).toEqual([whole, 0])
})

test('a share waits for the sign-in', async () => {
  await untilWorker(page)
  await page.evaluate(() => new Promise<void>((resolve) => {
    const opening = indexedDB.open('hermes-relay')
    opening.onsuccess = () => { const tx = opening.result.transaction('devices', 'readwrite'); tx.objectStore('devices').clear(); tx.oncomplete = () => { opening.result.close(); resolve() } }
  }))
  await page.close()
  const shared = await share({ text: 'it waits' })
  await shared.waitForSelector('.code-in')
  const { claimCode } = await relay.restart()
  await shared.fill('.code-in', claimCode)
  await shared.press('.code-in', 'Enter')
  await expect.poll(() => drafted(shared), IN_TIME).toBe('it waits')
})
