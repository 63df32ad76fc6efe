/**
 * Draws docs/pictures: the states of the page at 390x844 and 1280x800, dark and light, on the demo of the built relay. Needs Chromium and
 * `npm run build`; run by hand when the page looks otherwise, look at every picture, and commit them.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from './system-parts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'docs', 'pictures')
const COMPOSER = 'textarea[aria-label="Message"]'
const SIZES = { desktop: { viewport: { width: 1_280, height: 800 } }, phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } }

async function say(page, text) {
  await page.fill(COMPOSER, text)
  await page.press(COMPOSER, 'Control+Enter')
}
const rest = (page, ms = 900) => page.waitForTimeout(ms)
const idle = async (page) => { await rest(page, 500); await page.waitForSelector('[aria-label="Stop"]', { state: 'detached' }); await rest(page, 700) }
async function openList(page, isPhone) { if (isPhone) { await page.click('.bar .menu'); await page.waitForSelector('dialog[open] .search') } }

const only = process.argv[2]
for (const [size, options] of Object.entries(SIZES)) {
  if (only && size !== only) continue
  for (const colorScheme of ['dark', 'light']) {
    const dataDir = mkdtempSync(join(tmpdir(), 'hermes-relay-pictures-'))
    const start = () => new Promise((resolve) => {
      const child = spawn(process.execPath, ['dist/relay/main.js', '--hermes', 'auto', '--json', '--port', String(port), '--data-dir', dataDir], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout.once('data', (line) => { const ready = JSON.parse(String(line).split('\n')[0]); port = ready.port; resolve({ child, ready }) })
    })
    let port = 0
    let { child, ready } = await start()
    const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: ['--no-sandbox', '--disable-gpu'] })
    const isPhone = size === 'phone'
    const page = await (await browser.newContext({ ...options, colorScheme })).newPage()
    mkdirSync(folder, { recursive: true })
    const shoot = (state) => page.screenshot({ path: join(folder, `${state}-${size}-${colorScheme}.png`) })
    try {
      await page.goto(new URL('/app/', ready.appUrl).href)
      await page.waitForSelector('.code-in')
      await rest(page)
      await shoot('first-run')
      await page.goto('about:blank')
      await page.goto(ready.claimUrl)
      await page.waitForSelector('text=What should we get done?')
      await rest(page, 1_500)
      await shoot('empty')
      await say(page, 'What fills the disk of this machine?')
      await idle(page)
      await openList(page, isPhone)
      await page.click('[aria-label="New chat"]')
      await say(page, 'markdown')
      await idle(page)
      await say(page, 'para: df -h /tank | du -xhd1 /tank | tail -3 /var/log/backup.log')
      await idle(page)
      await page.locator('.step').first().click().catch(() => undefined)
      await say(page, 'count 400 60')
      await rest(page, 3_500)
      await shoot('streaming-with-tools')
      await page.click('[aria-label="Stop"]')
      await idle(page)
      await say(page, 'danger')
      await page.waitForSelector('.askcard')
      await say(page, 'Then write me a note so that this does not happen again')
      await rest(page, 1_200)
      await shoot('approval')
      await page.click('.askcard >> text=Deny')
      await idle(page)
      await say(page, 'error 500')
      await page.waitForSelector('.turn-end.error >> text=Retry')
      await rest(page)
      await shoot('error')
      await page.click('[aria-label="Find in this conversation"]')
      await page.fill('.findbar input', 'media')
      await page.waitForSelector('.findbar .count >> text=/of/')
      await rest(page, 1_200)
      await shoot('find')
      await page.click('[aria-label="Close find"]')
      await openList(page, isPhone)
      await page.fill('.search input', 'disk')
      await rest(page, 1_200)
      await shoot('list-with-search')
      await page.fill('.search input', '')
      if (isPhone) await page.keyboard.press('Escape')
      await rest(page)
      child.kill('SIGKILL')
      await rest(page, 1_500)
      await say(page, 'And remind me of it tomorrow')
      await rest(page, 2_500)
      await shoot('offline-with-a-waiting-message')
      ;({ child, ready } = await start())
      await rest(page, 4_000)
      await page.goto(new URL('/app/#/settings', ready.appUrl).href)
      await page.waitForSelector('h1')
      await rest(page, 1_200)
      await shoot('settings')
      await page.goto(new URL('/app/#/agent', ready.appUrl).href)
      await rest(page, 2_000)
      await shoot('connect-a-model')
    } finally {
      await browser.close()
      child.kill('SIGTERM')
      await rest({ waitForTimeout: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }, 500)
      rmSync(dataDir, { recursive: true, force: true })
    }
    process.stdout.write(`${size} ${colorScheme}\n`)
  }
}
