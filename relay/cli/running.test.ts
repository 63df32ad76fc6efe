/** The real relay parts on a real port: another agent is put behind them while a page is connected; a change that fails is taken back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemChance, systemClock } from '../clock/clock.ts'
import { loadConfig } from '../config.ts'
import { createPlayerTransport } from '../embedded/player-transport.ts'
import { createFakeTransport } from '../ingress/transport.fake.ts'
import type { UpstreamTransport } from '../lease/upstream-transport.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { assemble, type Assembled } from './assemble.ts'
import { createLog } from './log.ts'
import { LISTEN_TRIES_MAX, Running } from './running.ts'

let folder: string
let store: Store
let running: Running
let port = 0
const closed: string[] = []

const demo = async (): Promise<UpstreamTransport> => createPlayerTransport({ clock: systemClock, chance: systemChance })
const named = (name: string): UpstreamTransport => ({ ...createFakeTransport(), kind: 'dashboard', close: () => { closed.push(name) } })
const kind = async () => ((await (await fetch(`http://localhost:${port}/relay/health`)).json()) as { hermes: { kind: string } }).hermes.kind

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relay-running-'))
  store = openStore(folder, { clock: systemClock })
  closed.length = 0
  const { config } = loadConfig({ flags: { dataDir: folder }, environment: {}, platform: 'linux' })
  const agent = { state: () => Promise.reject(new Error('not asked')), wish: async () => {}, models: async () => [] }
  running = new Running((transport) => {
    if ((transport as { broken?: true }).broken) throw new Error('canary')
    return assemble({ config, store, transport, agent, log: createLog('silent'), version: '1', webFolder: join(folder, 'web') })
  }, await demo())
  port = await running.listen(0)
  await running.now.start()
})
afterEach(async () => {
  await running.close()
  store.close()
  rmSync(folder, { recursive: true })
})

test('the same port, the same devices, another agent; the one before is closed', async () => {
  expect(await kind()).toBe('embedded')
  const { code } = await running.now.auth.mintCode()
  await running.changeTo(async () => named('first'), demo)
  expect(await kind()).toBe('dashboard')
  const welcome = await running.now.auth.authenticate({ supports: {}, pairing_code: code, device_name: 'Laptop' }, { address: '127.0.0.1', unknownOrigin: null })
  expect(welcome.kind).toBe('welcome') // A code of before still opens: it is in the store.
  await running.changeTo(demo, demo)
  expect([await kind(), closed]).toEqual(['embedded', ['first']])
})
test('what cannot be made changes nothing; what cannot be begun is taken back', async () => {
  await running.changeTo(async () => named('first'), demo)
  await expect(running.changeTo(async () => { throw new Error('no folder') }, demo)).rejects.toThrow('no folder')
  expect([await kind(), closed]).toEqual(['dashboard', []])
  await expect(running.changeTo(async () => Object.assign(named('second'), { broken: true as const }), async () => named('first again'))).rejects.toThrow('canary')
  expect([await kind(), closed]).toEqual(['dashboard', ['first', 'second']])
})
test('a port that does not come back is tried for a while, then the change is taken back', async () => {
  let tries = 0
  const stubborn = (transport: UpstreamTransport): Assembled => ({
    relay: { async listen(wanted: number) {
      if ((transport as { taken?: true }).taken) {
        tries += 1
        throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
      }
      return wanted
    } }, async start() {}, async close() { transport.close() },
  }) as unknown as Assembled
  const one = new Running(stubborn, named('first'))
  await one.listen(1)
  await expect(one.changeTo(async () => Object.assign(named('second'), { taken: true as const }), async () => named('first again'))).rejects.toThrow('taken')
  expect([tries, closed]).toEqual([LISTEN_TRIES_MAX, ['first', 'second']])
})
test('two changes at once come one after the other; an end waits for them', async () => {
  const both = Promise.all([running.changeTo(async () => named('first'), demo), running.changeTo(demo, demo)])
  await both
  expect([await kind(), closed]).toEqual(['embedded', ['first']])
  const late = running.changeTo(async () => named('late'), demo)
  await running.close()
  await late
  await expect(fetch(`http://localhost:${port}/relay/health`)).rejects.toThrow()
})
