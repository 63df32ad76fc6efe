/** How often the relay is asked: once for the page, again when it was away, while something is prepared, or when the first answer failed. */
import { createRoot, createSignal } from 'solid-js'
import { expect, test } from 'vitest'
import type { AgentState } from '#protocol/agent/agent-state.ts'
import type { RelayCall } from '#web/net/relay/relay-http.ts'
import { createAgentStore } from './agent-store.ts'

const STATE: AgentState = {
  choice: { kind: 'demo' }, decided_by: 'found', can_change: true, switching: false, failed: null, has_key: false, ollama: null,
  managed: { installed: false, running: false, wanted: false, progress: null }, python: { ok: true, say: 'Python 3.12' },
}
const turns = async (): Promise<void> => { for (let turn = 0; turn < 20; turn += 1) await Promise.resolve() }

/** `fails`: so many answers say that the relay is not there. */
function open(fails = 0) {
  let asked = 0
  const call: RelayCall = async () => {
    asked += 1
    return asked <= fails ? { ok: false, failure: { code: 'relay_unreachable', say: 'No answer.', next: 'Try again.' } } : { ok: true, body: STATE }
  }
  const [linked, setLinked] = createSignal(false)
  const made = createRoot((dispose) => ({ dispose, store: createAgentStore(call, linked) }))
  return { ...made, setLinked, asked: () => asked }
}

test('the page asks once, also when its link comes up meanwhile or later', async () => {
  const page = open()
  page.setLinked(true)
  await turns()
  expect([page.asked(), page.store.state()]).toEqual([1, STATE])
  page.dispose()
  const late = open()
  await turns()
  late.setLinked(true)
  await turns()
  expect(late.asked()).toBe(1)
  late.dispose()
})
test('a relay that was away, or that did not answer at first, is asked again', async () => {
  const page = open()
  page.setLinked(true)
  await turns()
  page.setLinked(false)
  page.setLinked(true)
  await turns()
  expect(page.asked()).toBe(2)
  page.dispose()
  const failed = open(1)
  await turns()
  expect(failed.store.failure()).toMatchObject({ say: 'No answer.' })
  failed.setLinked(true)
  await turns()
  expect([failed.asked(), failed.store.failure(), failed.store.state()]).toEqual([2, null, STATE])
  failed.dispose()
})
