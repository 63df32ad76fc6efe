/** Which peers are this very machine. */
import { expect, test } from 'vitest'
import { isLoopback } from './peer-address.ts'

test('this machine, in each of its spellings, and nobody else', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) expect([address, isLoopback(address)]).toEqual([address, true])
  for (const address of ['', '10.0.0.1', '192.168.127.1', '::', 'fe80::1', '::ffff:10.0.0.1']) expect([address, isLoopback(address)]).toEqual([address, false])
})
