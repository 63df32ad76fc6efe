/** The transcript: blocks that stay, following and leaving the end, find, copy over rows that are not drawn, retry, thoughts, keys. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
beforeEach(async () => {
  relay = await startRelay()
  context = await browser.newContext({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] })
  watched = await openPage(context, relay.ready.claimUrl)
  page = watched.page
  await page.waitForSelector('text=What should we get done?')
})
afterEach(async () => {
  await context.close()
  await relay.stop()
  expect(watched.complaints).toEqual([])
})
const idle = (on: Page): Promise<unknown> => on.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
const isAtEnd = (): Promise<boolean> => page.locator('.scroll').evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight < 4)
async function turn(text: string): Promise<void> {
  await say(page, text)
  await page.waitForTimeout(300) // Until the turn has begun; its message may already be out of sight.
  await idle(page)
}

describe('markdown', () => {
  test('settled blocks are the same elements from their first drawing on; links and raw text are safe', async () => {
    await say(page, 'markdown')
    const heading = page.locator('.md >> text=What an answer may hold')
    await heading.waitFor()
    await heading.evaluate((element) => { (element as HTMLElement & { mark?: string }).mark = 'the very same' })
    await idle(page)
    await page.waitForSelector('.foot-row')
    await page.keyboard.press('Tab')
    await page.locator('.scroll').evaluate((el) => { el.scrollTop = 0 })
    await heading.waitFor()
    expect(await heading.evaluate((element) => (element as HTMLElement & { mark?: string }).mark)).toBe('the very same')
    expect(await page.locator('.md a').evaluateAll((links) => links.every((link) => link.getAttribute('target') === '_blank' && /noopener/.test(link.getAttribute('rel') ?? '')))).toBe(true)
    await page.locator('.scroll').evaluate((el) => { el.scrollTop = el.scrollHeight })
    await page.waitForSelector('text=<b>Raw HTML stays text.</b>')
    await page.waitForSelector('math')
    await expect.poll(() => page.evaluate(() => (CSS as unknown as { highlights: Map<string, Set<unknown>> }).highlights.get('code-keyword')?.size ?? 0)).toBeGreaterThan(0)
    expect(await axeFaults(page)).toEqual([])
  })
})

describe('length', () => {
  test('the end is followed until a person looks up; what came meanwhile is counted; End goes back', async () => {
    await turn('long 9000')
    expect(await isAtEnd()).toBe(true)
    await say(page, 'count 150 30')
    await page.waitForSelector('text=/5 6 7/')
    await page.mouse.move(800, 300)
    await page.mouse.wheel(0, -1_200)
    await page.waitForSelector('.jump')
    const before = await page.locator('.scroll').evaluate((el) => el.scrollTop)
    await page.waitForTimeout(800)
    expect(Math.abs((await page.locator('.scroll').evaluate((el) => el.scrollTop)) - before)).toBeLessThan(2)
    await page.focus('.scroll')
    await page.keyboard.press('End')
    await expect.poll(isAtEnd).toBe(true)
    await page.waitForSelector('.jump', { state: 'detached' })
    await idle(page)
    await page.keyboard.press('Home')
    await page.waitForSelector('text=Line 000000')
  })

  test('find reaches what is not drawn, marks it, and Escape and Back close it', async () => {
    await turn('say: the needle is here')
    for (let n = 0; n < 3; n += 1) await turn(`long ${9_000 + n}`)
    expect(await page.locator('.me', { hasText: 'the needle is here' }).count()).toBe(0)
    await page.keyboard.press('Control+f')
    await page.fill('.findbar input', 'NEEDLE')
    await page.waitForSelector('.findbar .count >> text=2 of 2')
    await page.keyboard.press('Shift+Enter')
    await page.waitForSelector('.findbar .count >> text=1 of 2')
    await page.locator('.me', { hasText: 'the needle is here' }).waitFor()
    expect(await page.evaluate(() => (CSS as unknown as { highlights: Map<string, Set<unknown>> }).highlights.get('find')?.size ?? 0)).toBeGreaterThan(0)
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.waitForSelector('.findbar', { state: 'detached' })
    await page.click('[aria-label="Find in this conversation"]')
    await page.fill('.findbar input', 'words that stand nowhere')
    await page.waitForSelector('.findbar .count >> text=No results')
    await page.goBack()
    await page.waitForSelector('.findbar', { state: 'detached' })
    expect(await page.locator(COMPOSER).count()).toBe(1)
  })

  test('a selection over rows that are not drawn is copied whole', async () => {
    await turn('say: the first of all')
    for (let n = 0; n < 3; n += 1) await turn(`long ${8_000 + n}`)
    await turn('say: the last of all')
    await page.focus('.scroll')
    await page.keyboard.press('Home')
    await page.locator('.me', { hasText: 'the first of all' }).waitFor()
    await page.evaluate(() => { const first = [...document.querySelectorAll('.me')].find((el) => el.textContent?.includes('the first of all')); document.getSelection()?.setBaseAndExtent(first as Node, 0, first as Node, 0) })
    await page.evaluate(() => { const selection = document.getSelection(); const first = [...document.querySelectorAll('.me')].find((el) => el.textContent?.includes('the first of all')) as Node; selection?.setBaseAndExtent(first, 0, first, 1) })
    await page.keyboard.press('End')
    await page.locator('.me', { hasText: 'the last of all' }).waitFor()
    await page.evaluate(() => { const selection = document.getSelection(); const last = [...document.querySelectorAll('.me')].find((el) => el.textContent?.includes('the last of all')) as Node; selection?.extend(last, 1); document.execCommand('copy') })
    const text = await page.evaluate(() => navigator.clipboard.readText())
    expect(text).toContain('the first of all')
    expect(text).toContain('Line 000100 of deterministic demo text.')
    expect(text).toContain('the last of all')
  })
})

describe('a turn', () => {
  test('that failed is run again in its place', async () => {
    await turn('say: before it')
    await turn('error 500')
    await page.waitForSelector('.turn-end.error')
    expect(await page.textContent('.turn-end .said > span')).toBe('The model provider has a problem. Try again in a moment.')
    expect(await page.textContent('.turn-end .told')).toContain('HTTP 500') // Their own words are below.
    expect(await axeFaults(page)).toEqual([])
    await page.click('.turn-end >> text=Retry')
    await page.waitForTimeout(300)
    await idle(page)
    await page.waitForSelector('.turn-end.error >> text=Retry')
    expect(await page.locator('.me').allTextContents()).toEqual(['say: before it', 'error 500'])
    await page.reload()
    await page.waitForSelector('.turn-end.error')
    expect(await page.locator('.me').allTextContents()).toEqual(['say: before it', 'error 500'])
  })

  test('that failed with many words upstream folds them away', async () => {
    const many = `demo error 501, ${'and so on, '.repeat(30)}`
    await page.routeWebSocket(/\/relay\/ws/, (socket) => {
      const server = socket.connectToServer()
      server.onMessage((message) => socket.send(String(message).replaceAll('demo error 501', many)))
    })
    await page.reload()
    await page.waitForSelector(COMPOSER)
    await turn('error 501')
    await page.click('.turn-end >> text=What the agent was told')
    await page.waitForSelector('.turn-end .told >> text=and so on')
    expect(await axeFaults(page)).toEqual([])
  })

  test('whose question nobody answered says so, in its step and below it, also after a reload', async () => {
    for (const [words, name] of [['ask Which bed?|left|right', 'clarify'], ['danger', 'terminal']] as const) {
      await say(page, words)
      await page.waitForSelector('.askcard')
      await page.click('[aria-label="Stop"]')
      await idle(page)
      const step = page.locator('.step', { hasText: name })
      await step.locator('.sr', { hasText: 'not answered' }).waitFor({ state: 'attached' })
      expect(await step.locator('.good').count()).toBe(0)
    }
    await page.waitForFunction(() => document.querySelectorAll('.done-line.unanswered').length === 2)
    expect(await page.locator('.done-line').allTextContents()).toEqual(['Not answered', 'Not answered'])
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await page.waitForFunction(() => document.querySelectorAll('.done-line.unanswered').length === 2)
    expect(await page.locator('.step .good').count()).toBe(0)
  })

  test('thinks in the open, folds when it answers, and keeps what a person chose', async () => {
    await say(page, `think: ${'which way to go and why, '.repeat(30)}`)
    await page.waitForSelector('.fold[open] >> text=Thinking')
    await page.waitForSelector('.fold:not([open]) >> text=/Thought for/')
    await idle(page)
    await page.click('.fold summary')
    await page.waitForSelector('.fold[open] .thought >> text=which way to go')
  })

  test('another model is chosen for the next message, by keys alone', async () => {
    await turn('say: with the first')
    await page.waitForSelector('.composer .pill input', { state: 'detached' })
    await page.waitForSelector('.composer .pill select')
    await page.keyboard.press('Control+Shift+M')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT')
    await page.waitForSelector('.composer option:has-text("demo-script-mini")', { state: 'attached' })
    await page.selectOption('.composer .pill select >> nth=0', { label: 'demo-script-mini' })
    await page.waitForSelector('.pill.pending')
    await turn('say: with the other')
    await page.waitForSelector('.pill.pending', { state: 'detached' })
    await expect.poll(() => page.locator('.composer .pill select').first().evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.textContent)).toBe('demo-script-mini')
  })

  test('is stopped by Escape, pressed twice, and its messages are walked by J and K', async () => {
    await turn('say: one')
    await turn('say: two')
    await say(page, 'count 900 60')
    await page.waitForSelector('text=/3 4 5/')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.toast >> text=Press Escape again')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.turn-end >> text=Stopped')
    await page.focus('.scroll')
    await page.keyboard.press('k')
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[data-key]')?.textContent ?? '')).toMatch(/Stopped|1 2 3/)
    await page.keyboard.press('k')
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('[data-key]')?.textContent ?? '')).toContain('count 900 60')
  })
})

test('no state of a conversation has a fault that axe can see, dark and light, on a phone too', async () => {
  const phone = await browser.newContext({ ...PHONE, colorScheme: 'light' })
  await page.click('[aria-label="Devices"]')
  await page.click('text=Add a device')
  const code = (await page.textContent('.fresh-code .code'))?.trim() ?? ''
  const second = await openPage(phone, relay.ready.appUrl)
  await second.page.fill('.code-in', code)
  await second.page.press('.code-in', 'Enter')
  await second.page.waitForSelector(COMPOSER)
  expect(await axeFaults(second.page)).toEqual([])
  await second.page.fill(COMPOSER, 'danger')
  await second.page.click('[aria-label="Send"]')
  await second.page.waitForSelector('.askcard')
  expect(await axeFaults(second.page)).toEqual([])
  await page.click('.rail [aria-label^="Conversations"]')
  await page.locator('.row .open', { hasText: 'danger' }).click()
  await page.waitForSelector('.askcard')
  expect(await axeFaults(page)).toEqual([])
  await page.click('.askcard >> text=Allow once')
  await idle(page)
  await page.click('[aria-label="More"]')
  await page.waitForSelector('[role="menu"]')
  expect(await axeFaults(page)).toEqual([])
  expect(second.complaints).toEqual([])
  await phone.close()
})
