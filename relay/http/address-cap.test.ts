/** The cap on connections per address, with sockets that only have an address: tests listen on loopback only, which is exempt. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { CONNECTIONS_PER_ADDRESS_MAX, createAddressCap } from './address-cap.ts'

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
