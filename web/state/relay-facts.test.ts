/** Who answers and on which machine is said without the relay too, and corrected when it speaks. */
import { createRoot, createSignal } from 'solid-js'
import { expect, test } from 'vitest'
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import { relayFacts } from './relay-facts.ts'

const facts = (kind: HermesFacts['kind'], demo: boolean): HermesFacts => ({ kind, ready: true, version: null, demo })

test('the last words hold until the relay speaks again', () => {
  createRoot((dispose) => {
    const [welcome, setWelcome] = createSignal<unknown>(null)
    const said = relayFacts({ link: { welcome } as never, credentials: { known: () => ({ hostName: 'garden', hermes: facts('embedded', true) }) } as never })
    expect([said.host(), said.hermes()?.demo, said.isSmallAgent()]).toEqual(['garden', true, false])
    setWelcome({ host_name: 'cellar', hermes: facts('embedded', false) })
    expect([said.host(), said.hermes()?.demo, said.isSmallAgent()]).toEqual(['cellar', false, true])
    setWelcome({ host_name: 'cellar', hermes: facts('dashboard', false) })
    expect(said.isSmallAgent()).toBe(false)
    dispose()
  })
})
test('a browser that knows nothing says nothing', () => {
  const said = relayFacts({ link: { welcome: () => null }, credentials: { known: () => null } })
  expect([said.host(), said.hermes(), said.isSmallAgent()]).toEqual([null, null, false])
})
