/** A browser page that counts what it costs: long tasks, main-thread time, memory of its renderer, and when some words are on the screen. */
import { readFileSync } from 'node:fs'
import { COMPOSER } from '../e2e/browser.ts'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'

const WATCH = `
window.__long = []
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__long.push(entry.duration) }).observe({ type: 'longtask', buffered: true })
window.__painted = (test, fromMs = performance.now(), withinMs = 30000) => new Promise((resolve) => {
  const look = () => {
    if (test()) requestAnimationFrame(() => { const port = new MessageChannel(); port.port1.onmessage = () => resolve(performance.now() - fromMs); port.port2.postMessage(0) })
    else if (performance.now() - fromMs > withinMs) resolve(NaN)
    else requestAnimationFrame(look)
  }
  look()
})
window.__rowHas = (text) => [...document.querySelectorAll('.vrow')].some((row) => row.textContent.includes(text))
`

export type MeasuredPage = {
  page: Page; context: BrowserContext; cdp: CDPSession
  /** Longest task since the last call, in ms; 0 when none was longer than 50. */
  longestTask(): Promise<number>
  /** CPU time of the main thread so far, in s. */
  cpuS(): Promise<number>
  rssAnonMb(): Promise<number>
  close(): Promise<void>
}

export async function measuredPage(browser: Browser, viewport = { width: 1280, height: 800 }): Promise<MeasuredPage> {
  const context = await browser.newContext({ viewport, colorScheme: 'dark' })
  await context.addInitScript(WATCH)
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' }) // What the thread worked, not how long it waited for a processor.
  return {
    page, context, cdp,
    longestTask: () => page.evaluate(() => { const all = (globalThis as unknown as { __long: number[] }).__long; return Math.max(0, ...all.splice(0)) }),
    async cpuS() {
      const { metrics } = await cdp.send('Performance.getMetrics')
      return metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN
    },
    /** The renderer with the most anonymous memory is the one of the page. */
    async rssAnonMb() {
      const root = await browser.newBrowserCDPSession()
      const { processInfo } = await root.send('SystemInfo.getProcessInfo')
      await root.detach()
      const renderers = processInfo.filter((one) => one.type === 'renderer').map((one) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${one.id}/status`, 'utf8'))?.[1] ?? 0) / 1_024)
      return Math.max(...renderers)
    },
    close: () => context.close(),
  }
}

/** Signs the page in and waits until all that it does afterwards, while nobody waits, is done: the worker keeps the whole shell. */
export async function signIn(one: MeasuredPage, claimUrl: string): Promise<void> {
  await one.page.goto(claimUrl)
  await one.page.waitForSelector(COMPOSER)
  await one.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await one.page.waitForTimeout(1_000)
}

/** From here on each load is a cold one: nothing comes from the cache of the browser or from the worker. `false`: as usual again. */
export async function loadCold(one: MeasuredPage, cold = true): Promise<void> {
  await one.cdp.send('Network.enable')
  await one.cdp.send('Network.setCacheDisabled', { cacheDisabled: cold })
  await one.cdp.send('Network.setBypassServiceWorker', { bypass: cold })
}
