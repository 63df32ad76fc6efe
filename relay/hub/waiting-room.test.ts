/** Who waits at the hub before `auth`: bounds per address and in total, who makes room, and that a penalty outlives its socket. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { type Auth, createAuth } from '#relay/auth/auth.ts'
import { createFakeDoorRepo } from '#relay/auth/door-repo.fake.ts'
import { FAILURES_MAX } from '#relay/auth/rate-limit.ts'
import { systemChance } from '#relay/clock/clock.ts'
import { createSteppedClock, type SteppedClock } from '#relay/clock/stepped-clock.fake.ts'
import { createHub, type Hub, WAITING_PER_ADDRESS_MAX, WAITING_SOCKETS_MAX } from './hub.ts'
import { BLOCKED_ANSWER_MS } from './socket-session.ts'

let clock: SteppedClock
let server: Server
let hub: Hub
let auth: Auth
const sockets: WebSocket[] = []

beforeEach(async () => {
  clock = createSteppedClock()
  auth = createAuth({ repo: createFakeDoorRepo(), clock, chance: systemChance })
  hub = createHub({ auth, clock, chance: systemChance, channels: [], onMistake: () => {}, facts: () => ({ server_version: '1', host_name: 'attic', hermes: { kind: 'embedded', ready: true, version: null, demo: true } }) })
  server = createServer().on('upgrade', (request, socket, head) => {
    if (hub.accept(request, socket, head, { address: String(request.headers['x-from']), unknownOrigin: null })) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await hub.close()
  server.close()
})

/** Connects from an address; `null` when the hub refused. */
async function knock(address: string): Promise<WebSocket | null> {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers: { 'x-from': address } })
  sockets.push(socket)
  return new Promise((resolve) => void socket.on('open', () => resolve(socket)).on('error', () => resolve(null)))
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))
const isOpen = (socket: WebSocket | null | undefined) => socket?.readyState === WebSocket.OPEN
const sayCode = (socket: WebSocket | null, pairing_code: string) => socket?.send(JSON.stringify({ channel: 'system', type: 'auth', payload: { pairing_code, supports: { protocol: PROTOCOL_VERSION, live: 1 } } }))
async function block(address: string): Promise<void> {
  for (let n = 0; n < FAILURES_MAX.code; n++) await auth.authenticate({ supports: {}, pairing_code: 'WRONG1' }, { address, unknownOrigin: null })
}

test('silent sockets of one address push out each other, not those of another', async () => {
  const owner = await knock('10.0.0.1')
  const silent: (WebSocket | null)[] = []
  for (let n = 0; n < WAITING_PER_ADDRESS_MAX + 3; n++) silent.push(await knock('10.0.0.9'))
  await pause()
  expect(silent.map(isOpen)).toEqual([false, false, false, ...Array.from({ length: WAITING_PER_ADDRESS_MAX }, () => true)])
  expect(isOpen(owner)).toBe(true)
})

test('a full waiting room drops its oldest, and the newest signs in; this machine has no cap of its own', async () => {
  const silent: (WebSocket | null)[] = []
  for (let n = 0; n < WAITING_SOCKETS_MAX; n++) silent.push(await knock('127.0.0.1'))
  await pause()
  expect(silent.every(isOpen)).toBe(true)
  const newest = await knock('10.0.0.1')
  sayCode(newest, (await auth.mintCode()).code)
  await pause()
  expect([hub.socketCount, isOpen(newest), silent.filter(isOpen).length, isOpen(silent[0])]).toEqual([1, true, WAITING_SOCKETS_MAX - 1, false])
})

test('a blocked guesser that hangs up keeps its place until the penalty ends, and pushes nobody out meanwhile', async () => {
  await block('10.0.0.9')
  for (let n = 0; n < WAITING_PER_ADDRESS_MAX; n++) {
    const guesser = await knock('10.0.0.9')
    sayCode(guesser, 'WRONG2')
    await pause()
    guesser?.terminate()
  }
  await pause()
  expect(await knock('10.0.0.9')).toBeNull()
  expect(isOpen(await knock('10.0.0.1'))).toBe(true)
  clock.step(BLOCKED_ANSWER_MS)
  expect(isOpen(await knock('10.0.0.9'))).toBe(true)
})

test('a valid fresh code passes from a blocked address (ruling 20)', async () => {
  const { code } = await auth.mintCode()
  await block('10.0.0.9')
  sayCode(await knock('10.0.0.9'), code)
  await pause()
  expect(hub.socketCount).toBe(1)
})
