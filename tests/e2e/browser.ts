/** Chromium for the tests, and a page that fails a test when its console or its policy complains. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export const launchBrowser = (extraArgs: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', headless: true, args: [...ARGS, ...extraArgs] })

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } }

export type Watched = { page: Page; complaints: string[] }

/** Collects page errors, CSP and Trusted Types violations; a lost connection is what many tests are about, so those lines are left out. */
export async function openPage(context: BrowserContext, url: string): Promise<Watched> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !/ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|WebSocket connection|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|unknown error occurred when fetching the script/.test(text)) complaints.push(`${text} ${message.location().url}`)
  })
  await page.goto(url)
  return { page, complaints }
}

/** The worker has kept the whole page and answers for it: from here on it starts, and loads its late parts, without the relay. */
export const untilWorker = (page: Page): Promise<unknown> => page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', undefined, { timeout: 20_000 })

export const COMPOSER = 'textarea[aria-label="Message"]'
export async function say(page: Page, text: string): Promise<void> {
  await page.fill(COMPOSER, text)
  await page.press(COMPOSER, 'Control+Enter') // Enter alone breaks the line on phones.
}
