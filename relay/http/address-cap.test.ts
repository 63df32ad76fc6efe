/** The cap on connections per address: with sockets that only have an address, and on a real server where this machine has a network. */
import { EventEmitter, once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { CONNECTIONS_PER_ADDRESS_MAX, createAddressCap } from './address-cap.ts'
import { createHttpServer } from './http-server.ts'

class FakeSocket extends EventEmitter {
  isCut = false
  constructor(readonly remoteAddress: string) {
    super()
  }
  destroy() {
    this.isCut = true
    this.emit('close')
    return this as unknown as Socket
  }
}

test('one address holds CONNECTIONS_PER_ADDRESS_MAX, in whichever spelling; others and this machine are not touched; a place comes back', () => {
  const cap = createAddressCap()
  const connect = (address: string) => {
    const socket = new FakeSocket(address)
    cap(socket as unknown as Socket)
    return socket
  }
  const held = Array.from({ length: CONNECTIONS_PER_ADDRESS_MAX }, (_, n) => connect(n % 2 ? '10.0.0.9' : '::ffff:10.0.0.9'))
  expect(held.some((socket) => socket.isCut)).toBe(false)
  expect([connect('10.0.0.9').isCut, connect('10.0.0.9').isCut, connect('10.0.0.8').isCut]).toEqual([true, true, false])
  held[0]?.destroy()
  expect([connect('10.0.0.9').isCut, connect('10.0.0.9').isCut]).toEqual([false, true])
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) for (let n = 0; n < 100; n++) expect(connect(address).isCut).toBe(false)
})

const outward = Object.values(networkInterfaces()).flatMap((rows) => rows ?? []).find((row) => !row.internal && row.family === 'IPv4')?.address
test.skipIf(outward === undefined)('the server cuts what is beyond, and keeps what was there', { timeout: 15_000 }, async () => {
  const http = createHttpServer({ fetch: () => new Response('ok'), judge: async () => ({ kind: 'pass', unknownOrigin: null, corsOrigin: null }), upgrade: async () => 'route_unknown', onMistake: () => {} })
  const port = await http.listen(['0.0.0.0'], 0)
  const sockets: Socket[] = []
  for (let n = 0; n < CONNECTIONS_PER_ADDRESS_MAX; n++) {
    const socket = connectTcp(port, outward).on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
  }
  await once(connectTcp(port, outward).on('error', () => {}), 'close')
  expect(sockets.filter((socket) => socket.closed)).toEqual([])
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok')
  for (const socket of sockets) socket.destroy()
  await http.close()
})
