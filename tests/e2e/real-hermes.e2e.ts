/** The real page on a real, unmodified Hermes with a scripted model: everything that a person does, and what may happen in between. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GatewayProgram } from '#tests/contract/gateway-program.ts'
import { RealHermes } from '#tests/contract/real-hermes.ts'
import { COMPOSER, DESKTOP, launchBrowser, openPage, PHONE, say, type Watched } from './browser.ts'
import { type RelayProcess, startRelay } from './relay-process.ts'

/** Longer than the longest wait of any test: no question runs out while a test looks at it. */
const APPROVAL_WAIT_S = 60

let browser: Browser
let hermes: RealHermes
let relay: RelayProcess
let context: BrowserContext
let watched: Watched
let page: Page
beforeAll(async () => {
  hermes = await RealHermes.start({ config: { approvals: { timeout: APPROVAL_WAIT_S } } })
  relay = await startRelay(['--hermes', hermes.baseUrl])
  browser = await launchBrowser()
  context = await browser.newContext(DESKTOP)
  watched = await openPage(context, relay.ready.claimUrl)
  page = watched.page
  await page.waitForSelector('text=What should we get done?')
})
afterAll(async () => {
  await browser?.close()
  await relay?.stop()
  await hermes?.stop()
})
beforeEach(async () => {
  await page.waitForSelector('.conn >> text=connected')
  await page.click('[aria-label="New chat"]')
  await page.waitForSelector('text=What should we get done?')
})
afterEach(() => { expect(watched.complaints.splice(0)).toEqual([]) })

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const counted = async (on: Page): Promise<number[]> => ((await on.locator('.ai .md').allTextContents()).join(' ').match(/\d+/g) ?? []).map(Number)
const ended = (on: Page): Promise<unknown> => on.waitForSelector('[aria-label="Stop"]', { state: 'detached' })
const storedId = (on: Page): Promise<string> => on.evaluate(() => decodeURIComponent(location.hash.slice('#/c/'.length)))
/** What a person reads, from top to bottom; times of day and durations left out. */
const whatIsShown = async (on: Page): Promise<string[]> => (await on.locator('.me, .ai .md, .ai summary .n, .ai summary .a, .ai summary:not(.step), .turn-end').allInnerTexts()).map((text) => text.replace(/^(Thought) for \d+ s$/, '$1'))
/** Rows take the place of what was shown live; then nothing may have changed for the eye. */
async function expectSameAfterReload(): Promise<void> {
  const shown = await whatIsShown(page)
  expect(shown.length).toBeGreaterThan(1)
  await page.reload()
  await expect.poll(() => whatIsShown(page)).toEqual(shown)
}

describe('a turn', () => {
  test('words: said once, the same after a reload, and the list shows the title that Hermes gave', async () => {
    await say(page, 'say: a plain answer about **otters**')
    await page.waitForSelector('.ai >> text=a plain answer about otters')
    await ended(page)
    await page.waitForSelector('.row.on b >> text=/Stub title/')
    await expectSameAfterReload()
    expect(await page.locator('.me').count()).toBe(1)
  })
  test('a thought, then a tool: both open, both the same in the history', async () => {
    await say(page, 'think: which way is north?')
    await page.waitForSelector('.ai >> text=thought answer')
    await ended(page)
    await page.click('.fold summary')
    await page.waitForSelector('.thought >> text=which way is north?')
    await say(page, 'tool: terminal echo hi')
    await page.waitForSelector('.ai >> text=/tool result:.*hi/')
    await ended(page)
    await page.click('summary.step')
    await page.waitForSelector('.out >> text=hi')
    await expectSameAfterReload()
  })
  test('an approval is denied, then given; the answers stand in their turn', async () => {
    await say(page, 'danger 1')
    await page.waitForSelector('.askcard .cmd >> text=rm -rf ./stub-danger-1')
    expect(await page.title()).toMatch(/^\(1\)/)
    await page.click('.askcard >> text=Deny')
    await page.waitForSelector('.askcard', { state: 'detached' })
    await ended(page)
    await page.waitForSelector('.done-line >> text=/Answered on .*: Deny/')
    await say(page, 'danger 1')
    await page.click('.askcard >> text=Allow once')
    await page.waitForSelector('.ai >> nth=1 >> text=/danger result/')
    await ended(page)
    await page.waitForSelector('.done-line >> text=/Answered on .*: Allow once/')
  })
  test('a choice, a password and a secret reach the agent; what is secret is on no screen', async () => {
    await say(page, 'ask Which colour?|red|blue')
    await page.click('.askcard >> text=blue')
    await page.waitForSelector('.ai >> text=/you answered:.*blue/')
    await ended(page)
    for (const [prompt, label, value] of [['tool: terminal sudo id', 'Administrator password', 'canary-password'], ['tool: skill_view {"name":"stub-secret"}', 'Value', 'canary-secret']] as const) {
      await say(page, prompt)
      await page.waitForSelector(`.askcard input[type=password][aria-label="${label}"]`)
      await page.fill('.askcard input', value)
      await page.press('.askcard input', 'Enter')
      await page.waitForSelector('.askcard', { state: 'detached' })
      await ended(page)
      expect(await page.content()).not.toContain(value)
    }
  })
  test('stop keeps what came; what waited is held until it is released', async () => {
    await say(page, 'count 100 100')
    await page.waitForSelector('text=/4 5 6/')
    await say(page, 'say: after the stop')
    await page.waitForSelector('.queue >> text=say: after the stop')
    await page.click('[aria-label="Stop"]')
    await page.waitForSelector('.queue >> text=Paused after stop')
    await page.waitForSelector('.turn-end >> text=Stopped.')
    const words = await counted(page)
    expect(words).toEqual(upTo(words.length))
    await page.click('text=Send next')
    await page.waitForSelector('.ai >> text=after the stop')
    await ended(page)
    expect(await page.locator('.queue').count()).toBe(0)
    await expectSameAfterReload()
  })
  test('an error of the model says so, and the next turn works', async () => {
    await say(page, 'error 400')
    await page.waitForSelector('.turn-end.error')
    await ended(page)
    await say(page, 'say: better now')
    await page.waitForSelector('.ai >> text=better now')
  })
})

describe('nothing is lost', () => {
  test('reload in mid-turn, and a second browser beside it: every word once, in order, on both', async () => {
    await say(page, 'count 90 40')
    await page.waitForSelector('text=/4 5 6/')
    await page.click('[aria-label="Devices"]')
    await page.click('text=Add a device')
    const code = (await page.textContent('.fresh-code .code'))?.replace(/[^0-9A-Z]/g, '') ?? ''
    await page.goBack()
    const other = await browser.newContext(PHONE)
    const second = await openPage(other, `${relay.ready.appUrl}#claim=${code}`)
    await second.page.waitForSelector(COMPOSER)
    await second.page.evaluate((id) => { location.hash = `#/c/${encodeURIComponent(id)}` }, await storedId(page))
    await second.page.waitForSelector('text=/10 11 12/')
    await page.reload()
    for (const one of [page, second.page]) {
      await one.waitForSelector('text=/88 89 90/')
      expect(await counted(one)).toEqual(upTo(90))
      expect(await one.locator('.me').allInnerTexts()).toEqual(['count 90 40'])
    }
    expect(second.complaints).toEqual([])
    await other.close()
  })
  test('offline in mid-turn, and back: the text is complete and nothing was reloaded', async () => {
    await page.evaluate(() => { document.documentElement.dataset['same'] = 'yes' })
    await say(page, 'count 70 40')
    await page.waitForSelector('text=/4 5 6/')
    await context.setOffline(true)
    await page.waitForTimeout(800)
    await context.setOffline(false)
    await page.waitForSelector('text=/68 69 70/')
    await ended(page)
    expect(await counted(page)).toEqual(upTo(70))
    expect(await page.evaluate(() => document.documentElement.dataset['same'])).toBe('yes')
  })
  test('the relay is killed in mid-turn and started again: the turn is found, its text exact', async () => {
    await say(page, 'count 90 40')
    await page.waitForSelector('text=/4 5 6/')
    await relay.restart()
    await page.waitForSelector('.conn >> text=connected')
    await page.waitForSelector('text=/88 89 90/')
    await ended(page)
    expect(await counted(page)).toEqual(upTo(90))
    expect(await page.locator('.me').count()).toBe(1)
    await expectSameAfterReload()
  })
  test('an answer of 400,000 characters arrives whole', async () => {
    await say(page, 'long 400000')
    await page.waitForSelector('[aria-label="Stop"]')
    await ended(page)
    const whole = Array.from({ length: 10_000 }, (_, line) => `Line ${String(line).padStart(6, '0')} of deterministic filler text.`).join('\n').slice(0, 400_000).replace(/\s/g, '')
    await expect.poll(async () => ((await page.locator('.ai .md').last().textContent()) ?? '').replace(/\s/g, '') === whole, { timeout: 20_000 }).toBe(true)
  })
})

test('a conversation is renamed, deleted and taken back; Hermes itself knows', async () => {
  await say(page, 'say: to be renamed')
  await page.waitForSelector('.ai >> text=to be renamed')
  await ended(page)
  await page.waitForSelector('.row.on b >> text=/Stub title/')
  const row = page.locator('.row.on')
  await row.hover()
  await row.locator('.more').click()
  await page.click('[role="menu"] >> text=Rename')
  await page.fill('input[name=title]', 'Named by a person')
  await page.press('input[name=title]', 'Enter')
  await page.waitForSelector('.bar h1 >> text=Named by a person')
  const named = page.locator('.row', { hasText: 'Named by a person' })
  await named.hover()
  await named.locator('.more').click()
  await page.click('[role="menu"] >> text=Delete')
  await named.waitFor({ state: 'detached' })
  await page.click('.toast >> text=Undo')
  await named.waitFor()
  await named.locator('.open').click()
  await page.waitForSelector('.ai >> text=to be renamed')
})

test('another program uses the conversation: it is said, nothing is stolen back, Take over works', async () => {
  await say(page, 'say: ours')
  await page.waitForSelector('.ai >> text=ours')
  await ended(page)
  const foreign = new GatewayProgram(hermes)
  await foreign.call('prompt.submit', { session_id: await foreign.liveIdOf(await storedId(page)), text: 'count 600 40' })
  await page.waitForSelector('text=Live in another program', { timeout: 30_000 })
  await page.click('text=Take over')
  await page.waitForSelector('text=Live in another program', { state: 'detached' })
  await page.waitForSelector('[aria-label="Stop"]')
  const before = (await counted(page)).length
  await expect.poll(async () => (await counted(page)).length).toBeGreaterThan(before + 5)
  const words = await counted(page)
  expect(words).toEqual(upTo(words.length))
  foreign.close()
  await page.click('[aria-label="Stop"]')
  await ended(page)
})
