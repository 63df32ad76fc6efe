/**
 * Draws the pictures of the manifest into public/pictures: icons from public/icon.svg, screenshots of the built page with the demo. Needs
 * Chromium and `npm run build`; run by hand when the logo or the page looks otherwise, and commit what it made.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from './system-parts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'public', 'pictures')
const svg = readFileSync(join(root, 'public', 'icon.svg'), 'utf8')
const inner = svg.replace(/^<svg[^>]*>|<\/svg>\s*$/g, '')
/** A system may cut a maskable icon to a circle of 80 %: the ground fills it, the ring stays inside. */
const maskable = svg.replace(inner, inner.replace(/ rx="\d+"/, '').replace('r="14"', 'r="11"'))
/** Only its shape counts: the system gives it a colour. */
const monochrome = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="#fff" fill-rule="evenodd" d="M24 8h16a16 16 0 0 1 16 16v16a16 16 0 0 1-16 16H24A16 16 0 0 1 8 40V24A16 16 0 0 1 24 8Zm8 12a12 12 0 1 0 0 24 12 12 0 0 0 0-24Z"/></svg>'
const ICONS = [['icon-192', svg, 192], ['icon-512', svg, 512], ['icon-maskable-512', maskable, 512], ['icon-monochrome-512', monochrome, 512]]
const SCREENS = [
  ['screen-wide', { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' }],
  ['screen-narrow', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'dark' }],
]
const PROMPTS = ['What can you do for me on this machine?', 'danger']

const dataDir = mkdtempSync(join(tmpdir(), 'hermes-relay-pictures-'))
const relay = spawn(process.execPath, ['dist/relay/main.js', '--hermes', 'embedded', '--json', '--port', '0', '--data-dir', dataDir], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: ['--no-sandbox', '--disable-gpu'] })
try {
  mkdirSync(folder, { recursive: true })
  for (const [name, picture, size] of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } })
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${picture}`)
    await page.screenshot({ path: join(folder, `${name}.png`), omitBackground: true })
    await page.close()
  }
  const ready = JSON.parse(await new Promise((resolve) => relay.stdout.once('data', (line) => resolve(String(line).split('\n')[0]))))
  let link = ready.claimUrl
  for (const [name, options] of SCREENS) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(link)
    await page.waitForSelector('textarea[aria-label="Message"]')
    for (const prompt of PROMPTS) {
      await page.fill('textarea[aria-label="Message"]', prompt)
      await page.press('textarea[aria-label="Message"]', 'Enter')
      await page.waitForTimeout(4_000)
    }
    await page.screenshot({ path: join(folder, `${name}.png`) })
    link = await nextCode(page)
    await context.close()
  }
} finally {
  await browser.close()
  relay.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

/** A signed-in page makes the code for the next one. */
async function nextCode(page) {
  await page.goto(new URL('/app/#/devices', page.url()).href)
  await page.click('text=Add a device')
  const code = (await page.textContent('.fresh-code .code'))?.trim()
  return new URL(`/app/#claim=${code}`, page.url()).href
}
