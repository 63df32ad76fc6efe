/** Plain LAN http (ruling 17): no Web Locks, no randomUUID, no clipboard. It works, and one line says what is missing. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMPOSER, DESKTOP, launchBrowser, openPage, say } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
beforeAll(async () => {
  relay = await startRelay(['--host-name', 'relay.lan'])
  browser = await launchBrowser(['--host-resolver-rules=MAP relay.lan 127.0.0.1'])
})
afterAll(async () => {
  await browser.close()
  await relay.stop()
})

test('two tabs chat, each with its own socket, and it is said', async () => {
  const context = await browser.newContext(DESKTOP)
  const { page, complaints } = await openPage(context, relay.ready.claimUrl.replace('localhost', 'relay.lan'))
  await page.waitForSelector(COMPOSER)
  expect(await page.evaluate(() => isSecureContext)).toBe(false)
  await page.waitForSelector('text=each tab has its own connection')
  const second = await openPage(context, relay.ready.appUrl.replace('localhost', 'relay.lan'))
  await second.page.waitForSelector(COMPOSER)
  await say(page, 'count 30')
  await page.waitForSelector('text=/28 29 30/')
  await second.page.click('.row >> nth=0')
  await second.page.waitForSelector('text=/28 29 30/')
  expect([...complaints, ...second.complaints]).toEqual([])
})
