/** Ruling 7, case by case. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { DEFAULT_PORT } from '../config.ts'
import { createFakeSettingRepo } from '../store/setting-repo.fake.ts'
import { openPort, parsePort } from './open-port.ts'
import { findRelay, hasDashboard } from './probe.ts'

const taken = (...ports: number[]) => async (port: number) => {
  if (ports.includes(port)) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
  return port === 0 ? 45_678 : port
}
async function serving(answer: (path: string) => [number, unknown], run: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await run((server.address() as AddressInfo).port)
  server.close()
  server.closeAllConnections()
}
const health = { status: 'ok', version: '1', protocol: 1, hermes: { kind: 'embedded', ready: true, version: null } }

test('asked for, else remembered, else the default; and remembered for next time', async () => {
  const settings = createFakeSettingRepo()
  expect(await openPort({ wanted: null, settings, listen: taken() })).toEqual({ kind: 'listening', port: DEFAULT_PORT })
  expect(await openPort({ wanted: 9_000, settings, listen: taken() })).toEqual({ kind: 'listening', port: 9_000 })
  expect(await openPort({ wanted: null, settings, listen: taken(DEFAULT_PORT) })).toEqual({ kind: 'listening', port: 9_000 })
})
test('a taken default gives way to a free port, which is then remembered', async () => {
  const settings = createFakeSettingRepo()
  expect(await openPort({ wanted: null, settings, listen: taken(DEFAULT_PORT) })).toEqual({ kind: 'listening', port: 45_678 })
  expect(await settings.read('port')).toBe('45678')
})
test('taken by our relay: said; by another program: refused, the known port is kept', async () => {
  await serving(() => [200, health], async (port) => {
    expect(await openPort({ wanted: port, settings: createFakeSettingRepo(), listen: taken(port) })).toEqual({ kind: 'already_running', port })
  })
  await serving(() => [200, { status: 'ok' }], async (port) => {
    const settings = createFakeSettingRepo()
    await settings.write('port', String(port))
    const refused = await openPort({ wanted: null, settings, listen: taken(port) }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refused)
    expect(refused).toMatchObject({ code: 'port_taken', detail: { port } })
    expect(await settings.read('port')).toBe(String(port))
  })
  const refused = await openPort({ wanted: 80, settings: createFakeSettingRepo(), listen: async () => { throw Object.assign(new Error('no'), { code: 'EACCES' }) } }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'port_taken' })
})
test('probes believe only what looks like it', async () => {
  for (const [answer, relay, dashboard] of [[[200, health], true, false], [[200, { version: '0.19.0', auth_required: false }], false, true], [[200, '<html>'], false, false], [[500, health], false, false], [[200, 'null'], false, false]] as const)
    await serving(() => answer as [number, unknown], async (port) => {
      expect([await findRelay(port) !== null, await hasDashboard(`http://127.0.0.1:${port}`)]).toEqual([relay, dashboard])
    })
  expect(await findRelay(1)).toBeNull()
  expect(['0', '65536', 'x', '', '8767'].map(parsePort)).toEqual([null, null, null, null, 8_767])
})
