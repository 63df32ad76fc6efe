/** Writes one socket's frames in order of priority, never more than its window, and closes it when the reader cannot keep up. */
import type { WebSocket } from 'ws'
import { CLOSE } from '#protocol/system/system-frame.ts'
import type { Clock } from '#relay/clock/clock.ts'
import { OutboundQueue } from './outbound-queue.ts'
import { SendWindow, WINDOW_BYTES_MAX } from './send-window.ts'

/** How often the still empty line is measured at first: a single answer may have met a busy moment. */
const FIRST_PROBES = 3

export interface SocketWriter {
  push(priority: number, text: string): void
  /** A ping that carries no data: heartbeat and baseline of the window. */
  probe(): void
  readonly answeredAtMs: number
  readonly waitingBytes: number
  /** Nothing is written after this. */
  stop(): void
}

export function createSocketWriter(socket: WebSocket, clock: Clock, bytesMax?: number): SocketWriter {
  const queue = new OutboundQueue(bytesMax)
  const window = new SendWindow()
  let stopped = false
  let answeredAtMs = clock.now()
  let probes = 0

  /** `system` frames are small and few: they do not wait for the window, only for what is already on the way (and for a flood of their own). */
  function drain(): void {
    while (!stopped && socket.readyState === socket.OPEN) {
      const next = queue.peek()
      const mustWait = next !== null && !(next.priority === 0 ? socket.bufferedAmount < WINDOW_BYTES_MAX : window.canSend(next.bytes))
      if (next !== null && !mustWait) {
        queue.shift()
        socket.send(next.text)
        window.sent(next.bytes)
      }
      const receipt = window.receiptDue(queue.peek() === null || mustWait, clock.now())
      if (receipt !== null) socket.ping(String(receipt))
      if (next === null || mustWait) return
    }
  }

  socket.on('pong', (data: Buffer) => {
    answeredAtMs = clock.now()
    window.answered(Number(data.toString('latin1')), queue.peek() !== null, clock.now())
    drain()
    if (probes > 0 && probes < FIRST_PROBES && window.unconfirmedBytes === 0) probe()
  })
  function probe(): void {
    probes++
    if (!stopped && socket.readyState === socket.OPEN) socket.ping(String(window.probe(clock.now())))
  }
  return {
    probe,
    push(priority, text) {
      if (stopped) return
      if (!queue.push({ priority, text, bytes: Buffer.byteLength(text) })) {
        stopped = true
        queue.clear()
        socket.close(CLOSE.slow_reader.code, CLOSE.slow_reader.reason)
        return
      }
      drain()
    },
    get answeredAtMs() {
      return answeredAtMs
    },
    get waitingBytes() {
      return queue.bytes
    },
    stop() {
      stopped = true
      queue.clear()
    },
  }
}
