/** The page under load, in a real browser: bytes, first screen, long conversations, a flood of tokens, a long list (the budgets of the app). */
import type { Browser } from 'playwright-core'
import { setTimeout as wait } from 'node:timers/promises'
import { COMPOSER, launchBrowser } from '../e2e/browser.ts'
import { RealHermes } from '../contract/real-hermes.ts'
import type { Figure } from './figures.ts'
import { startFlood } from './flood-upstream.ts'
import { loadCold, measuredPage, type MeasuredPage, signIn } from './measured-page.ts'
import { startRelay } from './relay-process.ts'
import { seedConversation, seedList } from './seed-hermes.ts'

/** `BENCH_RUNS=1` for a quick look; figures are only worth their median of five. */
const RUNS = Number(process.env['BENCH_RUNS'] ?? 5)
const LONG_ROWS = 15_000
const LAST_WORDS = `Answer ${LONG_ROWS / 2 - 1}.`
const FIRST_WORDS = 'Question 0:'

type Hooks = { __painted(test: () => boolean, fromMs?: number): Promise<number>; __rowHas(text: string): boolean }
const launch = (): Promise<Browser> => launchBrowser(['--enable-precise-memory-info'])
/** Runs in the page: ms from now until some row with these words was painted. */
const paintedRow = (one: MeasuredPage, words: string, doFirst: string): Promise<number> => one.page.evaluate(([text, order]) => {
  const hooks = globalThis as unknown as Hooks
  const fromMs = performance.now()
  if (order === 'home') document.querySelector<HTMLElement>('.scroll')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', ctrlKey: true, bubbles: true }))
  else if (order !== '') location.hash = order as string
  return hooks.__painted(() => hooks.__rowHas(text as string), fromMs)
}, [words, doFirst])

/** P1 and P2: what the first chat screen weighs, and when it takes a word, four times slowed down. */
export async function firstScreen(): Promise<Figure[]> {
  const relay = await startRelay(['--hermes', 'embedded'])
  const browser = await launch()
  const one = await measuredPage(browser)
  await signIn(one, relay.ready.claimUrl)
  await loadCold(one)
  const scripts: { url: string; bytes: number }[] = []
  const urls = new Map<string, string>()
  one.cdp.on('Network.responseReceived', ({ requestId, response, type }) => { if (type === 'Script') urls.set(requestId, response.url) })
  one.cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { const url = urls.get(requestId); if (url) scripts.push({ url, bytes: encodedDataLength }) })
  await one.cdp.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
  const ready: number[] = []
  let first: typeof scripts = []
  let whole: typeof scripts = []
  for (let n = 0; n < RUNS; n += 1) {
    scripts.length = 0
    await one.cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await one.page.goto('about:blank')
    await one.page.goto(`${relay.ready.url}/app/`, { waitUntil: 'commit' })
    ready.push(await one.page.evaluate((selector) => (globalThis as unknown as Hooks).__painted(() => {
      const field = document.querySelector<HTMLTextAreaElement>(selector)
      if (!field) return false
      if (field.value === '') { field.focus(); document.execCommand('insertText', false, 'hello') }
      return field.value === 'hello' && document.querySelector<HTMLButtonElement>('.send:not(.stop)')?.disabled === false
    }, 0), COMPOSER))
    await one.cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    // The list of conversations belongs to the screen. What is asked for after it is for later, and counted in the second figure.
    const drawnMs = await one.page.evaluate(() => (globalThis as unknown as Hooks).__painted(() => document.querySelector('.drawer .list') !== null && !document.querySelector('.drawer .skel'), 0))
    await wait(2_500)
    const asked = await one.page.evaluate((untilMs) => performance.getEntriesByType('resource').filter((entry) => entry.startTime <= untilMs).map((entry) => entry.name), drawnMs)
    first = scripts.filter(({ url }) => asked.includes(url))
    whole = [...scripts]
    await one.page.fill(COMPOSER, '')
    await wait(600)
  }
  await browser.close()
  await relay.stop()
  return [
    { name: 'P1 script of the first chat screen, gzip', values: [first.reduce((sum, { bytes }) => sum + bytes, 0) / 1_024], unit: 'KiB', max: 90 },
    { name: 'P1 with what is fetched while nobody waits (transcript, worker, strips)', values: [whole.reduce((sum, { bytes }) => sum + bytes, 0) / 1_024], unit: 'KiB', max: null },
    { name: 'P1 script requests', values: [first.length], unit: '', max: 6 },
    { name: 'P1 scripts from elsewhere', values: [first.filter(({ url }) => !url.startsWith(relay.ready.url)).length], unit: '', max: 0 },
    { name: 'P2 cold load, CPU 4x slower: a typed word is shown and can be sent', values: ready.map((ms) => ms / 1_000), unit: 's', max: 1 },
  ]
}

/** What is garbage by then is collected, in ms. */
const REST_MS = 15_000

/** P3, P4b and scrolling: 15,000 messages in a real Hermes. */
export async function longConversation(): Promise<Figure[]> {
  const hermes = await RealHermes.start()
  await fetch(`${hermes.baseUrl}/api/sessions?limit=1`, { headers: { 'x-hermes-session-token': hermes.facts.dashboard.token ?? '' } })
  seedConversation(hermes.facts.home, 'bench-long', LONG_ROWS, 'Fifteen thousand messages')
  const deep: number[] = []
  const click: number[] = []
  const jump: number[] = []
  const jumpRemote: number[] = []
  const tasks: number[] = []
  const memoryPeak: number[] = []
  const memory: number[] = []
  const scroll: number[] = []
  const settle: number[] = []
  for (let n = 0; n < RUNS; n += 1) {
    const relay = await startRelay(['--hermes', hermes.baseUrl])
    const browser = await launch()
    const one = await measuredPage(browser)
    await signIn(one, relay.ready.claimUrl)
    // A deep link into a browser that knows nothing of the conversation.
    await loadCold(one)
    await one.page.goto('about:blank')
    await one.page.goto(`${relay.ready.url}/app/#/c/bench-long`, { waitUntil: 'commit' })
    deep.push(await one.page.evaluate((words) => { const hooks = globalThis as unknown as Hooks; return hooks.__painted(() => hooks.__rowHas(words), 0) }, LAST_WORDS))
    await loadCold(one, false)
    await wait(1_500)
    jumpRemote.push(await paintedRow(one, FIRST_WORDS, 'home'))
    await wait(500)
    await fillCache(one)
    await one.cdp.send('Network.disable') // It keeps every answer in the page's memory.
    // A page of its own: what the search left behind is not what a conversation costs.
    await one.page.goto('about:blank')
    await one.page.goto(`${relay.ready.url}/app/#/c/draft:nothing00`)
    await one.page.waitForSelector(COMPOSER)
    await wait(3_500)
    await one.longestTask()
    click.push(await paintedRow(one, LAST_WORDS, '#/c/bench-long'))
    await wait(500)
    tasks.push(await one.longestTask())
    jump.push(await paintedRow(one, FIRST_WORDS, 'home'))
    await wait(300)
    tasks.push(await one.longestTask())
    await one.page.evaluate(() => { location.hash = '#/c/draft:nothing00' })
    await wait(300)
    await paintedRow(one, LAST_WORDS, '#/c/bench-long')
    await wait(300)
    await one.longestTask()
    await one.cdp.send('Input.synthesizeScrollGesture', { x: 800, y: 400, yDistance: 18_000, speed: 6_000, gestureSourceType: 'mouse' })
    scroll.push(await one.longestTask())
    memoryPeak.push(await one.rssAnonMb())
    await wait(REST_MS)
    memory.push(await one.rssAnonMb())
    settle.push(await shortTurn(one, n))
    await browser.close()
    await relay.stop()
  }
  await hermes.stop()
  const seconds = (values: number[]) => values.map((ms) => ms / 1_000)
  return [
    { name: 'P3 15,000 messages: click to last painted', values: seconds(click), unit: 's', max: 0.2 },
    { name: 'P3 cold deep link', values: seconds(deep), unit: 's', max: 1 },
    { name: 'P3 jump to the first, from this browser', values: seconds(jump), unit: 's', max: 0.2 },
    { name: 'P3 jump to the first, rows from Hermes', values: seconds(jumpRemote), unit: 's', max: null },
    { name: 'P3 longest task while opening and jumping', values: tasks, unit: 'ms', max: 50 },
    { name: 'P3 memory of the renderer (RssAnon), at rest after all this', values: memory, unit: 'MB', max: 100 },
    { name: 'P3 memory of the renderer right after scrolling, before the browser collects', values: memoryPeak, unit: 'MB', max: null },
    { name: 'scrolling at 6,000 px/s: longest task', values: scroll, unit: 'ms', max: 50 },
    { name: 'P4b a short turn in 15,000 messages: settled after the end of the turn', values: seconds(settle), unit: 's', max: 0.5 },
  ]
}

/** Every row into this browser: a search for words that stand nowhere reads them all. */
async function fillCache(one: MeasuredPage): Promise<void> {
  await one.page.click('[aria-label="Find in this conversation"]')
  await one.page.fill('.findbar input', 'zzz-nowhere-zzz')
  await one.page.waitForSelector('.findbar .count:has-text("No results")', { timeout: 60_000 })
  await one.page.click('[aria-label="Close find"]')
}

/** From the frame that ends the turn until its rows stand there, read back from Hermes. */
async function shortTurn(one: MeasuredPage, n: number): Promise<number> {
  await one.page.click('.jump').catch(() => undefined)
  await one.cdp.send('Network.enable')
  const ended = new Promise<number>((resolve) => {
    one.cdp.on('Network.webSocketFrameReceived', ({ response }) => { if (response.payloadData.includes('"kind":"ended"')) resolve(performance.now()) })
  })
  await one.page.fill(COMPOSER, `say: short answer ${n}`)
  await one.page.press(COMPOSER, 'Enter')
  const endMs = await ended
  await one.page.waitForFunction((words) => { const rows = [...document.querySelectorAll('.vrow')]; const at = rows.findLastIndex((row) => row.textContent?.includes(words)); return at >= 0 && rows.slice(at).some((row) => row.querySelector('.foot-row')) }, `short answer ${n}`, { polling: 'raf' })
  return performance.now() - endMs
}

/** P4: 20,000 tokens at full speed into one message while a person types. */
export async function flood(): Promise<Figure[]> {
  const [key, lag, cpu, flat] = [[] as number[], [] as number[], [] as number[], [] as number[]]
  for (let n = 0; n < RUNS; n += 1) {
    const got = await floodOnce('flood 20000 0')
    key.push(got.worstKeyMs)
    lag.push(got.endLagMs / 1_000)
    cpu.push(got.cpuS)
  }
  for (let n = 0; n < RUNS; n += 1) flat.push(...(await pacedFlatness()))
  const shapes: Figure[] = []
  for (const shape of ['list', 'paragraph', 'table']) {
    const worst: number[] = []
    for (let n = 0; n < RUNS; n += 1) worst.push((await floodOnce(`flood 20000 0 ${shape}`)).worstKeyMs)
    shapes.push({ name: `P4 one endless ${shape}: worst key to frame`, values: worst, unit: 'ms', max: 80 })
  }
  return [
    { name: 'P4 20,000 tokens at full speed: worst key to frame while typing', values: key, unit: 'ms', max: 50 },
    { name: 'P4 end painted after the end of the model', values: lag, unit: 's', max: 0.3 },
    { name: 'P4 main-thread CPU', values: cpu, unit: 's', max: 0.8 },
    { name: 'P4 cost of a token at the end over the start, paced 2,000 a second', values: flat, unit: 'x', max: 1.3 },
    ...shapes,
  ]
}

const TYPE_EVERY_MS = 80

async function floodOnce(prompt: string): Promise<{ worstKeyMs: number; endLagMs: number; cpuS: number }> {
  const upstream = await startFlood()
  const relay = await startRelay(['--hermes', upstream.url])
  const browser = await launch()
  const one = await measuredPage(browser)
  await signIn(one, relay.ready.claimUrl)
  await one.page.fill(COMPOSER, 'flood 1 0')
  await one.page.press(COMPOSER, 'Enter')
  await one.page.waitForSelector('.foot-row')
  await wait(1_500)
  await one.page.evaluate(() => {
    const held = globalThis as unknown as { __keys: number[] }
    held.__keys = []
    document.querySelector('textarea[aria-label="Message"]')?.addEventListener('input', (event) => { const atMs = event.timeStamp; requestAnimationFrame(() => { const port = new MessageChannel(); port.port1.onmessage = () => held.__keys.push(performance.now() - atMs); port.port2.postMessage(0) }) })
  })
  await one.page.fill(COMPOSER, prompt)
  await one.page.evaluate(() => { (globalThis as unknown as { __keys: number[] }).__keys.length = 0 })
  const cpu = await one.cpuS()
  await one.page.press(COMPOSER, 'Enter')
  let typing = true
  const typed = (async () => { while (typing) { await one.page.keyboard.press('x'); await wait(TYPE_EVERY_MS) } })()
  const modelEnd = await upstream.ended()
  await one.page.waitForFunction(() => { const rows = [...document.querySelectorAll('.vrow')]; return rows.at(-1)?.querySelector('.foot-row') && rows.some((row) => row.textContent?.includes('w999')) }, undefined, { polling: 'raf', timeout: 60_000 })
  const endLagMs = performance.now() - modelEnd
  const cpuS = (await one.cpuS()) - cpu
  typing = false
  await typed
  const worstKeyMs = await one.page.evaluate(() => Math.max(...(globalThis as unknown as { __keys: number[] }).__keys))
  await browser.close()
  await relay.stop()
  upstream.close()
  return { worstKeyMs, endLagMs, cpuS }
}

/** Main-thread time of a token in the last fifth of a paced answer, over that in the second fifth (the first one warms up). */
async function pacedFlatness(): Promise<number[]> {
  const upstream = await startFlood()
  const relay = await startRelay(['--hermes', upstream.url])
  const browser = await launch()
  const one = await measuredPage(browser)
  await signIn(one, relay.ready.claimUrl)
  await one.page.fill(COMPOSER, 'flood 20000 2000')
  await one.page.press(COMPOSER, 'Enter')
  await wait(2_500)
  const marks: number[] = []
  for (let n = 0; n < 4; n += 1) { marks.push(await one.cpuS()); await wait(2_000) }
  await browser.close()
  await relay.stop()
  upstream.close()
  return [((marks[3] as number) - (marks[2] as number)) / ((marks[1] as number) - (marks[0] as number))]
}

/** Runs in the page: the list of the last visit would be shown before the one that is measured. */
const forgetList = (): Promise<void> => new Promise((resolve) => {
  const opening = indexedDB.open('hermes-relay')
  opening.onsuccess = () => {
    const tx = opening.result.transaction('settings', 'readwrite')
    tx.objectStore('settings').delete('sessionList')
    tx.oncomplete = () => { opening.result.close(); resolve() }
  }
})

/** A list of 10,000 conversations: from its rows being there to their being painted, and scrolling through it. */
export async function longList(): Promise<Figure[]> {
  const hermes = await RealHermes.start()
  await fetch(`${hermes.baseUrl}/api/sessions?limit=1`, { headers: { 'x-hermes-session-token': hermes.facts.dashboard.token ?? '' } })
  seedList(hermes.facts.home, 10_000)
  const [paint, scroll] = [[] as number[], [] as number[]]
  for (let n = 0; n < RUNS; n += 1) {
    const relay = await startRelay(['--hermes', hermes.baseUrl])
    const browser = await launch()
    const one = await measuredPage(browser)
    await signIn(one, relay.ready.claimUrl)
    await one.page.waitForSelector('.drawer .row')
    await one.page.evaluate(forgetList)
    await one.page.reload({ waitUntil: 'commit' })
    paint.push(await one.page.evaluate(() => (globalThis as unknown as Hooks).__painted(() => document.querySelectorAll('.drawer .row').length > 5, 0).then((atMs) => atMs - Math.max(...performance.getEntriesByType('resource').filter((entry) => /\/api\/sessions\?/.test(entry.name)).slice(0, 1).map((entry) => (entry as PerformanceResourceTiming).responseEnd)))))
    await wait(1_000)
    await one.longestTask()
    await one.cdp.send('Input.synthesizeScrollGesture', { x: 180, y: 400, yDistance: -18_000, speed: 6_000, gestureSourceType: 'mouse' })
    scroll.push(await one.longestTask())
    await browser.close()
    await relay.stop()
  }
  await hermes.stop()
  return [
    { name: 'list of 10,000 conversations: first paint after its first rows came', values: paint, unit: 'ms', max: 150 },
    { name: 'list of 10,000 conversations: longest task while scrolling', values: scroll, unit: 'ms', max: 50 },
  ]
}
