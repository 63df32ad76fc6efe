/** The page of primitives, in a build that has it: every state in both colours is for everybody, and works by keyboard. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWorker } from '../../scripts/build-worker.mjs'
import { axeFaults } from './axe.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage } from './browser.ts'
import { type BuiltCopy, copyBuild } from './built-copy.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
let copy: BuiltCopy
let page: Page
let complaints: string[]

beforeAll(async () => {
  copy = copyBuild()
  const web = join(copy.root, 'dist', 'web')
  execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--outDir', web, '--emptyOutDir', '--logLevel', 'error'], { env: { ...process.env, NODE_ENV: 'production', VITE_DEV_UI: '1' }, timeout: 60_000 })
  await buildWorker(web)
  relay = await startRelay([], copy.root)
  browser = await launchBrowser()
  ;({ page, complaints } = await openPage(await browser.newContext({ ...DESKTOP, colorScheme: 'dark' }), relay.ready.claimUrl))
  await page.waitForSelector(COMPOSER)
  await page.evaluate(() => { location.hash = '#/dev/ui' })
  await page.waitForSelector('h1 >> text=Primitives')
}, 90_000)
afterAll(async () => {
  await browser?.close()
  await relay?.stop()
  copy?.remove()
  expect(complaints).toEqual([])
})

async function axeIsSilent(): Promise<void> {
  await page.waitForTimeout(250) // What moves in has arrived.
  expect(await axeFaults(page)).toEqual([])
}

test.each(['Dark', 'Light'])('axe is silent: primitives, menu, sheet, toast, %s', async (colours) => {
  await page.getByRole('button', { name: colours, exact: true }).click()
  await page.waitForSelector(`html[data-theme=${colours.toLowerCase()}]`)
  await page.click('text=Show a toast')
  await axeIsSilent()
  await page.click('.dev-ui-page-of-primitives [aria-haspopup=menu]')
  await page.waitForSelector('[role=menuitem]:focus')
  await axeIsSilent()
  await page.keyboard.press('Escape')
  await page.click('text=Open a sheet')
  await page.waitForSelector('dialog.sheet')
  await axeIsSilent()
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog.sheet', { state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Open a sheet')
})

test('switch, choice and a menu entry that cannot be used, by keyboard', async () => {
  await page.focus('[role=switch][aria-label="Switch"]')
  const before = await page.getAttribute('[role=switch][aria-label="Switch"]', 'aria-checked')
  await page.keyboard.press('Space')
  expect(await page.getAttribute('[role=switch][aria-label="Switch"]', 'aria-checked')).toBe(before === 'true' ? 'false' : 'true')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).parentElement?.textContent)).toBe('Two')
  await page.focus('.dev-ui-page-of-primitives [aria-haspopup=menu]')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('[role=menuitem]:focus >> text=Rename')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('[role=menuitem]:focus >> text=Delete') // The one between cannot be used.
  await page.keyboard.press('Escape')
})

test('a tooltip comes with the focus and says the key', async () => {
  await page.focus('.dev-ui-page-of-primitives [aria-haspopup=menu]')
  await page.locator('.dev-ui-page-of-primitives [aria-label="Find"]').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Shift+Tab')
  await page.waitForSelector('.tip:popover-open >> text=Find')
  expect(await page.textContent('.tip kbd')).toBe('Ctrl+F')
  await page.keyboard.press('Escape')
  expect(await page.locator('.tip:popover-open').count()).toBe(0)
})

test('on 320 px with the largest text size nothing is cut off sideways', async () => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.evaluate(() => localStorage.setItem('hermes-preferences', JSON.stringify({ textScale: 1.3 })))
  await page.reload()
  await page.waitForSelector('h1 >> text=Primitives')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
})
