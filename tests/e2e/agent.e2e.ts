/** From the demo to a real model in the app: the card, a wrong address in words, a key that is never shown again, an answer; and back. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage, PHONE, say } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

const KEY = 'sk-canary-of-the-card'
let browser: Browser
let relay: RelayProcess
let stub: ChildProcess
let stubUrl = ''

beforeAll(async () => {
  stub = spawn(process.execPath, ['tests/contract/upstream-hermes/stub-model.mjs', '--port', '0', '--quiet'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(stub.stdout!, 'data')) as [Buffer]
  stubUrl = (JSON.parse(line.toString().split('\n')[0] ?? '') as { baseUrl: string }).baseUrl
  ;[browser, relay] = await Promise.all([launchBrowser(), startRelay(['--hermes', 'auto'])])
})
afterAll(async () => {
  await browser?.close()
  await relay?.stop()
  stub?.kill()
})

test('a model is connected in the app, answers, and outlives a restart of the relay', async () => {
  const context = await browser.newContext(DESKTOP)
  const { page } = await openPage(context, relay.ready.claimUrl)
  await page.waitForSelector(COMPOSER)
  await page.click('.strip-line.demo a')
  await page.waitForSelector('h1:has-text("Agent")')
  await page.waitForSelector('h2:has-text("Use a model")')
  expect(await axeFaults(page)).toEqual([])

  await page.getByLabel('Address').fill('http://127.0.0.1:9/v1')
  await page.getByRole('button', { name: 'List models' }).click()
  await page.getByText('The model at 127.0.0.1:9 cannot be reached.').waitFor()
  await page.getByLabel('Address').fill(stubUrl)
  await page.getByLabel('Key').fill(KEY)
  await page.getByRole('button', { name: 'List models' }).click()
  await page.getByRole('combobox', { name: 'Model' }).selectOption('stub-echo')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('button', { name: 'Start a chat' }).click()
  await page.waitForSelector(COMPOSER)
  expect(await page.locator('.strip-line.demo').count()).toBe(0)
  await page.locator('.sugg >> text=What can you do on this machine?').waitFor()
  await say(page, 'say: through the card')
  await page.locator('.ai .md', { hasText: 'through the card' }).waitFor()
  await say(page, 'tool: terminal echo one command')
  await page.getByRole('button', { name: 'Allow this command in this chat' }).click()
  await page.locator('.done-line', { hasText: 'Allow this command in this chat' }).waitFor()

  await relay.restart()
  await page.goto(`${relay.ready.url}/app/#/agent`)
  await page.getByText('One is kept on the host.').waitFor()
  expect(await page.getByLabel('Key').inputValue()).toBe('')
  expect(await page.content()).not.toContain(KEY)
  await page.setViewportSize(PHONE.viewport!)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport!.width)
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Use the demo' }).click()
  await page.getByText('The built-in demo', { exact: true }).waitFor()
  await context.close()
})

test('the page of the agent asks once, and its cards do not move when their words come', async () => {
  const context = await browser.newContext(DESKTOP)
  const fresh = await startRelay(['--hermes', 'auto'])
  const { page } = await openPage(context, fresh.ready.claimUrl)
  await page.waitForSelector(COMPOSER)
  let asked = 0
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => { answer = resolve })
  await page.route('**/relay/agent', async (route) => { asked += 1; await held; await route.continue() })
  await page.goto('about:blank')
  await page.goto(`${fresh.ready.url}/app/#/agent`)
  await page.waitForSelector('.agent-page .wait')
  await page.waitForFunction(() => document.querySelectorAll('.agent-page .wait .card').length === 4)
  const tops = (): Promise<number[]> => page.locator('.agent-page .card').evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top))
  const before = await tops()
  expect(await axeFaults(page)).toEqual([])
  answer()
  await page.waitForSelector('h2:has-text("Use a model")')
  const after = await tops()
  for (const [at, top] of before.entries()) expect(Math.abs(top - (after[at] ?? 0))).toBeLessThanOrEqual(4)
  await page.waitForTimeout(1_500)
  expect(asked).toBe(1)
  await context.close()
  await fresh.stop()
})
