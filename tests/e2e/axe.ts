/** What axe finds on a page, in words that say where and how to mend it. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'

export async function axeFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join(' | ')}`)
}
