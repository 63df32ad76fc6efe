/** How many connections one address holds; this machine's own are not counted. One cap for all listening sockets. */
import type { Socket } from 'node:net'
import { isLoopback } from '#relay/auth/peer-address.ts'

/** Open TCP connections of one address that is not this machine. */
export const CONNECTIONS_PER_ADDRESS_MAX = 64

/** For `connection`: a socket beyond the cap is cut before a byte of it is read. */
export function createAddressCap(max = CONNECTIONS_PER_ADDRESS_MAX): (socket: Pick<Socket, 'remoteAddress' | 'once' | 'destroy'>) => void {
  const open = new Map<string, number>()
  return (socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (isLoopback(address)) return
    const held = open.get(address) ?? 0
    if (held >= max) return void socket.destroy()
    open.set(address, held + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  }
}
