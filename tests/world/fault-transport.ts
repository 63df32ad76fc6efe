/** The line between relay and Hermes with a hand on it: frames are counted, and a socket can be cut at any of them, or frozen. */
import type { UpstreamSocket, UpstreamSocketEvents, UpstreamTransport } from '#relay/lease/upstream-transport.ts'

export type UpstreamHand = {
  /** Asked for each frame before it is passed on; `cut` loses it and its socket. */
  onFrame: (direction: 'in' | 'out', text: string) => 'pass' | 'cut'
  /** Frozen sockets pass nothing in either direction. */
  frozen: boolean
  /** Sockets of the relay that died, however they died. */
  lost: number
}

export type FaultTransport = UpstreamTransport & { cutAll(): void; thaw(): void }

export function createFaultTransport(inner: UpstreamTransport, hand: UpstreamHand, rewrite: (direction: 'in' | 'out', text: string) => string[] = (_, text) => [text]): FaultTransport {
  const open = new Set<() => void>()
  const waiting: (() => void)[] = []
  const pass = (run: () => void): void => {
    if (hand.frozen) waiting.push(run)
    else run()
  }
  return {
    kind: inner.kind,
    isDemo: inner.isDemo,
    request: (request) => inner.request(request),
    close: () => inner.close(),
    cutAll: () => { for (const cut of [...open]) cut() },
    thaw: () => {
      hand.frozen = false
      for (const run of waiting.splice(0)) run()
    },
    openGateway(events: UpstreamSocketEvents): UpstreamSocket {
      let ended = false
      const end: UpstreamSocketEvents['onClose'] = (info) => {
        if (ended) return
        ended = true
        hand.lost += 1
        open.delete(cut)
        events.onClose(info)
      }
      const cut = (): void => {
        socket.close()
        end({ code: null, reason: 'cut', refusal: null })
      }
      const socket = inner.openGateway({
        onOpen: () => events.onOpen(),
        onFrame: (text) => pass(() => {
          if (ended) return
          if (hand.onFrame('in', text) === 'cut') cut()
          else for (const one of rewrite('in', text)) events.onFrame(one)
        }),
        onClose: end,
      })
      open.add(cut)
      return {
        send: (text) => pass(() => {
          if (ended) return
          if (hand.onFrame('out', text) === 'cut') cut()
          else for (const one of rewrite('out', text)) socket.send(one)
        }),
        close: () => { socket.close(); end({ code: 1000, reason: 'closed', refusal: null }) },
      }
    },
  }
}
