/** A dashboard behind its password: the operator's credential opens REST and sockets, a wrong one is said and tried no further. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf } from './contract-page.ts'
import { RealHermes } from './real-hermes.ts'
import { RelayUnderTest } from './relay-under-test.ts'
import { until } from './until.ts'

let hermes: RealHermes
beforeAll(async () => { hermes = await RealHermes.start({ mode: 'gated' }) })
afterAll(async () => { await hermes?.stop() })

test('sign-in, a ticket for each socket, turns, REST, and back after the line was cut', async () => {
  expect(hermes.facts.dashboard.token, 'there is no token to use').toBeUndefined()
  const relay = await RelayUnderTest.start(hermes)
  const page = relay.page()
  expect(textOf(await page.turnOf('say: through the gate'))).toBe('through the gate')
  expect(await relay.userTexts(page.storedId)).toEqual(['say: through the gate'])
  expect((await relay.list()).map((session) => session.sessionId)).toContain(page.storedId)
  const { sockets } = relay.transport
  await page.loseLine(() => relay.transport.cut())
  expect(textOf(await page.turnOf('say: and again'))).toBe('and again')
  expect(relay.transport.sockets).toBeGreaterThan(sockets)
  expect(relay.transport.refusals).toEqual([])
  const { user, password } = hermes.secrets
  expect([user, password].every((word) => word !== null)).toBe(true)
  expect(relay.wroteAnywhere(password!)).toBe(false)
  page.close()
  relay.stop()
})

test.each([
  ['a wrong password', () => ({ ...hermes.secrets, password: 'not the password' })],
  ['no credential', () => ({ token: null, user: null, password: null })],
])('%s: a refusal that names the sign-in, nothing hammered, nothing lost', async (_name, secrets) => {
  const relay = await RelayUnderTest.start({ baseUrl: hermes.baseUrl, secrets: secrets() })
  const page = relay.page()
  await until('the refusal', () => relay.registry.link.state.kind === 'down' && relay.registry.link.state.refusal === 'sign_in')
  expect(relay.transport.refusals).toEqual(['sign_in'])
  await expect(relay.rest('GET', '/api/sessions')).rejects.toThrow('sign_in')
  page.write('say: waits outside')
  await page.until('the message to wait in the relay', (view) => view.messages.some((m) => m.state === 'queued'))
  expect(page.view).toMatchObject({ link: 'down', turn: null })
  expect(page.unsent).toEqual([])
  expect(relay.transport.sockets, 'one attempt, then a long pause').toBe(1)
  page.close()
  relay.stop()
})
