/** What calls a person back, what goes on without a tab, what is large, and what nobody is sure of. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { COMPOSER, DESKTOP, launchBrowser, openPage, say } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

let browser: Browser
let relay: RelayProcess
let context: BrowserContext
let page: Page
let complaints: string[]
beforeAll(async () => { browser = await launchBrowser() })
afterAll(() => browser.close())
beforeEach(async () => {
  relay = await startRelay()
  context = await browser.newContext({ ...DESKTOP, serviceWorkers: 'block' }) // A worker's requests cannot be answered by a test.
  ;({ page, complaints } = await openPage(context, relay.ready.claimUrl))
  await page.waitForSelector('text=What should we get done?')
})
afterEach(async () => {
  await context.close()
  await relay.stop()
  expect(complaints).toEqual([])
})

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const counted = async (on: Page): Promise<number[]> => ((await on.locator('.ai .md').allTextContents()).join(' ').match(/\d+/g) ?? []).map(Number)

test('permission is asked by a click only; a question in a hidden page notifies once and marks the title', async () => {
  await page.addInitScript(() => {
    class Spy {
      static permission = 'default'
      static shown: string[] = []
      static asked = 0
      static requestPermission(): Promise<string> { Spy.asked += 1; Spy.permission = 'granted'; return Promise.resolve('granted') }
      onclick: (() => void) | null = null
      constructor(title: string, { body }: { body: string }) { Spy.shown.push(`${title}: ${body}`) }
      close(): void { /* Nothing to take away. */ }
    }
    Object.assign(globalThis, { Notification: Spy })
  })
  await page.reload()
  await page.waitForSelector(COMPOSER)
  const spied = () => page.evaluate(() => { const { shown, asked } = Notification as unknown as { shown: string[]; asked: number }; return { shown, asked } })
  await say(page, 'danger')
  await page.waitForSelector('.askcard')
  expect(await spied()).toEqual({ shown: [], asked: 0 })
  await page.click('.askcard >> text=Deny')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  await page.click('[aria-label="Notify me when the agent waits for me"]')
  await page.waitForSelector('.toast >> text=You get a notification')
  await say(page, 'danger')
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(spied).toEqual({ shown: ['Hermes waits for you: rm -rf ./demo-danger-1'], asked: 1 })
  expect(await page.title()).toMatch(/^\(1\) /)
})

test('the icon of the app counts the questions that wait; with the first message the browser is asked to keep what is here', async () => {
  await page.addInitScript(() => {
    const held = { badge: -1, kept: 0 }
    Object.assign(globalThis, { __held: held })
    const badge = (count: number) => () => { held.badge = count; return Promise.resolve() }
    Object.defineProperty(navigator, 'setAppBadge', { value: (count: number) => badge(count)() })
    Object.defineProperty(navigator, 'clearAppBadge', { value: badge(0) })
    Object.defineProperty(navigator.storage, 'persist', { value: () => { held.kept += 1; return Promise.resolve(true) } })
  })
  await page.reload()
  await page.waitForSelector(COMPOSER)
  const held = () => page.evaluate(() => (globalThis as unknown as { __held: { badge: number; kept: number } }).__held)
  await expect.poll(held).toEqual({ badge: 0, kept: 0 })
  await say(page, 'danger')
  await page.waitForSelector('.askcard')
  await expect.poll(held).toEqual({ badge: 1, kept: 1 })
  await page.click('.askcard >> text=Deny')
  await expect.poll(held).toEqual({ badge: 0, kept: 1 })
})

test('an answered question keeps its line when later turns follow', async () => {
  await say(page, 'danger')
  await page.click('.askcard >> text=Deny')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  await say(page, 'say: and now something else')
  await page.waitForSelector('.ai >> text=and now something else')
  expect(await page.locator('.ai .done-line').first().textContent()).toMatch(/^Answered on .+: Deny$/)
})

test('a frozen tab loses the lead to a visible one; both show every word, and one socket is left', async () => {
  const second = await openPage(context, relay.ready.appUrl)
  await second.page.waitForSelector('.conn >> text=connected')
  await say(page, 'count 220 40')
  await page.waitForSelector('text=/4 5 6/')
  await second.page.click('.row >> nth=0')
  await second.page.waitForSelector('text=/4 5 6/')
  let sockets = 0
  second.page.on('websocket', () => { sockets += 1 })
  const frozen = page.evaluate(() => { const untilMs = Date.now() + 6_000; while (Date.now() < untilMs) { /* The main thread is busy: no beat leaves it. */ } })
  await expect.poll(() => sockets, { timeout: 5_500 }).toBe(1)
  await frozen
  for (const one of [second.page, page]) {
    await one.waitForSelector('text=/218 219 220/')
    expect(await counted(one)).toEqual(upTo(220))
    await one.waitForSelector('.conn >> text=connected')
  }
  expect(second.complaints).toEqual([])
})

test('an event too large for the socket is fetched: the text is complete', async () => {
  const fetched: string[] = []
  page.on('request', (request) => { if (/\/relay\/.*\/events\//.test(request.url())) fetched.push(request.url()) })
  await say(page, 'long 400000')
  await page.waitForSelector('[aria-label="Stop"]')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached', timeout: 60_000 })
  const whole = Array.from({ length: 10_300 }, (_, line) => `Line ${String(line).padStart(6, '0')} of deterministic demo text.`).join('').replace(/\s/g, '')
  const shown = async (): Promise<string> => ((await page.locator('.ai .md').allTextContents()).join('')).replace(/\s/g, '')
  await expect.poll(async () => (await shown()).length, { timeout: 30_000 }).toBeGreaterThan(330_000)
  const text = await shown()
  expect(whole.startsWith(text)).toBe(true)
  expect(fetched.length).toBeGreaterThan(0)
})

test('what is not sure to have arrived asks a person, and the word is sent', async () => {
  await say(page, 'say: sure')
  await page.waitForSelector('.ai >> text=sure')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  const sent: { type: string; payload: { verdict?: string; client_msg_id?: string } }[] = []
  const doubtful = { clientMsgId: '00000000-0000-4000-8000-000000000001', text: 'say: perhaps', state: 'unconfirmed', device: 'This one', rowId: null, reason: 'Hermes was restarted meanwhile.', atMs: Date.now() }
  await page.routeWebSocket(/relay\/ws/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      const frame = JSON.parse(String(message)) as (typeof sent)[number]
      if (frame.type === 'live.resolve') sent.push(frame)
      else server.send(message)
    })
    server.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { type: string; payload: { view?: { messages: unknown[] }; event?: { kind: string; messages?: unknown[] } } }
      if (frame.type === 'live.snapshot') frame.payload.view?.messages.push(doubtful)
      if (frame.payload.event?.kind === 'messages') frame.payload.event.messages?.push(doubtful)
      socket.send(JSON.stringify(frame))
    })
  })
  await page.reload()
  await page.waitForSelector('.way.warn >> text=Not sure whether this arrived. Hermes was restarted meanwhile.')
  await page.click('.way >> text=It arrived')
  await page.click('.way >> text=Send again')
  await expect.poll(() => sent.map(({ payload }) => [payload.client_msg_id, payload.verdict])).toEqual([[doubtful.clientMsgId, 'arrived'], [doubtful.clientMsgId, 'send_again']])
})

// How long its tasks are is measured by the bench, not here.
test('a history of 2,000 rows opens at its end, and its beginning is a scroll away', async () => {
  await say(page, 'say: the first of many')
  await page.waitForSelector('.ai >> text=the first of many')
  await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
  // Older than everything that the relay calls the running turn, so their numbers are below its anchor.
  const rows = Array.from({ length: 2_000 }, (_, at) => ({
    id: at - 2_000, role: at % 2 === 0 ? 'user' : 'assistant', timestamp: 1_790_000_000 + at * 30,
    content: at % 2 === 0 ? `Question ${at / 2}` : `Answer ${(at - 1) / 2}\n\n- one **thing**\n- another \`thing\`\n\n\`\`\`ts\nconst line = ${at}\n\`\`\``,
  }))
  await page.route(/\/messages\?/, (route) => {
    const { searchParams } = new URL(route.request().url())
    const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))]
    const messages = rows.slice(offset, offset + limit)
    return route.fulfill({ json: { messages, pagination: { offset, limit, total: rows.length, has_more: offset + limit < rows.length } } })
  })
  await page.click('[aria-label="New chat"]')
  await page.reload()
  await page.waitForSelector('.row')
  await page.locator('.row .open', { hasText: 'the first of' }).click()
  await page.waitForSelector('text=Answer 999')
  await page.waitForTimeout(300)
  expect(await page.locator('.scroll').evaluate((el) => Math.abs(el.scrollHeight - el.scrollTop - el.clientHeight))).toBeLessThan(4)
  const first = page.locator('.me', { hasText: /^Question 0$/ })
  for (let scrolls = 0; scrolls < 200 && (await first.count()) === 0; scrolls += 1) {
    await page.locator('.scroll').evaluate((el) => { el.scrollTop = 0 })
    await page.waitForTimeout(30)
  }
  expect(await first.count()).toBe(1)
})
