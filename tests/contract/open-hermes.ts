/** What each open-mode file begins with: one Hermes, one relay, pages that are closed after each test. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { ContractPage } from './contract-page.ts'
import { type HermesOptions, RealHermes } from './real-hermes.ts'
import { RelayUnderTest } from './relay-under-test.ts'

export interface OpenHermes {
  readonly hermes: RealHermes
  readonly relay: RelayUnderTest
  /** A page on this conversation, or on a new one. */
  page(session?: string): ContractPage
}

export function useHermes(options: HermesOptions = {}): OpenHermes {
  let hermes: RealHermes | null = null
  let relay: RelayUnderTest | null = null
  const pages: ContractPage[] = []
  beforeAll(async () => {
    hermes = await RealHermes.start(options)
    relay = await RelayUnderTest.start(hermes)
  })
  afterEach(() => {
    for (const page of pages.splice(0)) page.close()
  })
  afterAll(async () => {
    relay?.stop()
    await hermes?.stop()
  })
  return {
    get hermes() { return hermes! },
    get relay() { return relay! },
    page(session) {
      const page = relay!.page(session)
      pages.push(page)
      return page
    },
  }
}
