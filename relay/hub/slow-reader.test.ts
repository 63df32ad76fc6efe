/** The promise that needs a real socket: behind 20 MB of `live` on a 1 Mbit/s line a `pong` still leaves within 200 ms. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { createAuth } from '#relay/auth/auth.ts'
import { createFakeDoorRepo } from '#relay/auth/door-repo.fake.ts'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import type { ChannelSession } from './channel.ts'
import { createHub } from './hub.ts'

const BYTES_PER_MS = 125 // 1 Mbit/s.
const PONG_MS_MAX = 200

/** A line of 1 Mbit/s towards us: bytes wait in the kernel, as they do on a real slow line. */
class SlowLine extends Duplex {
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  #credit = 0
  #atMs = performance.now()
  constructor(port: number) {
    super({ readableHighWaterMark: 1 })
    this.#socket = connect({ port, host: '127.0.0.1' })
    this.#socket.on('connect', () => this.emit('connect'))
    this.#socket.on('error', () => this.destroy())
    this.#socket.on('close', () => this.push(null))
    this.#socket.on('readable', () => {})
    this.#timer = setInterval(() => this.#pump(), 5)
  }
  #pump(): void {
    const nowMs = performance.now()
    this.#credit = Math.min(this.#credit + (nowMs - this.#atMs) * BYTES_PER_MS, 50 * BYTES_PER_MS)
    this.#atMs = nowMs
    const bytes = Math.min(Math.floor(this.#credit), this.#socket.readableLength)
    const chunk = bytes > 0 ? (this.#socket.read(bytes) as Buffer | null) : null
    if (!chunk) return void this.#socket.read(0)
    this.#credit -= chunk.length
    this.push(chunk)
  }
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#timer)
    this.#socket.destroy()
    done(error)
  }
}

test('20 MB of live backlog on a 1 Mbit/s line: pongs overtake it', { timeout: 30_000 }, async () => {
  const auth = createAuth({ repo: createFakeDoorRepo(), clock: systemClock, chance: systemChance })
  let session: ChannelSession | null = null
  const hub = createHub({
    auth, clock: systemClock, chance: systemChance, onMistake: (error) => { throw error },
    channels: [{ name: 'live', grant: 'chat', open: (opened) => { session = opened; return { onFrame: async () => {}, onClose() {} } } }],
    facts: () => ({ server_version: '1', host_name: 'attic', hermes: { kind: 'embedded', ready: true, version: null, demo: true } }),
  })
  const server = createServer().on('upgrade', (request, socket, head) => void hub.accept(request, socket, head, { address: '127.0.0.1', unknownOrigin: null }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const page = new WebSocket(`ws://127.0.0.1:${port}/relay/ws`, { perMessageDeflate: false, createConnection: () => new SlowLine(port) as unknown as Socket })
  await once(page, 'open')
  let events = 0
  let bytes = 0
  const tripsMs: number[] = []
  const isReady = new Promise((resolve) => page.on('message', (data) => {
    const frame = JSON.parse(String(data)) as { type: string; payload: { ts: number } }
    if (frame.type === 'auth.ok') resolve(null)
    if (frame.type === 'pong') tripsMs.push(performance.now() - frame.payload.ts)
    if (frame.type === 'live.event') { events++; bytes += String(data).length }
  }))
  page.send(JSON.stringify({ channel: 'system', type: 'auth', payload: { pairing_code: (await auth.mintCode()).code, supports: { protocol: PROTOCOL_VERSION, live: 1 } } }))
  await isReady
  await new Promise((resolve) => setTimeout(resolve, 100)) // Else the loop below, in this very process, delays the first measurement.

  const text = JSON.stringify({ text: 'x'.repeat(4_000) })
  for (let sent = 0; sent < 20_000_000; sent += text.length) session!.send('live.event', text)
  const startedAtMs = performance.now()
  for (let n = 0; n < 16; n++) {
    page.send(JSON.stringify({ channel: 'system', type: 'ping', payload: { ts: performance.now() } }))
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const rate = bytes / (performance.now() - startedAtMs)
  page.terminate()
  await hub.close()
  server.close()
  tripsMs.sort((a, b) => a - b)
  console.info(`pong behind 20 MB: median ${tripsMs[tripsMs.length >> 1]?.toFixed(0)} ms, worst ${tripsMs.at(-1)?.toFixed(0)} ms; live ${rate.toFixed(0)} B/ms, ${events} events`)
  expect(tripsMs.length).toBeGreaterThanOrEqual(15)
  expect(tripsMs.at(-4)).toBeLessThan(PONG_MS_MAX) // Three may meet a busy machine: relay, page and line share this process.
  expect(rate).toBeGreaterThan(BYTES_PER_MS * 0.6) // And the line is kept busy.
})
