/** The hub over real sockets: handshake, versions, limits, order, grants, revocation, and frames that must not kill anything. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { FRAME_BYTES_MAX } from '#protocol/envelope/envelope.ts'
import { AUTH_WITHIN_MS, PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { type Auth, createAuth } from '#relay/auth/auth.ts'
import { createFakeDoorRepo } from '#relay/auth/door-repo.fake.ts'
import { systemChance } from '#relay/clock/clock.ts'
import { createSteppedClock, type SteppedClock } from '#relay/clock/stepped-clock.fake.ts'
import type { Channel, ChannelSession } from './channel.ts'
import { createHub, HEARTBEAT_MS, type Hub, SILENCE_MS_MAX, SOCKETS_MAX, SOCKETS_PER_DEVICE_MAX, WAITING_SOCKETS_MAX } from './hub.ts'

type Frame = { channel: string; type: string; id?: string; payload: Record<string, unknown> }

class Page {
  readonly frames: Frame[] = []
  readonly socket: WebSocket
  closed: { code: number; reason: string } | null = null
  constructor(port: number) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/relay/ws`)
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data))))
    this.socket.on('close', (code, reason) => { this.closed = { code, reason: String(reason) } })
    this.socket.on('error', () => {})
  }
  say(channel: string, type: string, payload: unknown = {}, id?: string): void {
    this.socket.send(JSON.stringify({ channel, type, payload, ...(id !== undefined && { id }) }))
  }
  async auth(payload: object): Promise<Frame> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open')
    this.say('system', 'auth', { supports: { protocol: PROTOCOL_VERSION, live: 1 }, ...payload })
    return this.frame((frame) => frame.type.startsWith('auth.'))
  }
  frame(wanted: (frame: Frame) => boolean): Promise<Frame> {
    return until(() => this.frames.find(wanted))
  }
  gone(): Promise<{ code: number; reason: string }> {
    return until(() => this.closed)
  }
}
async function until<Value>(read: () => Value | null | undefined | false): Promise<Value> {
  for (let n = 0; n < 2_000; n++) {
    const value = read()
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error('it never happened')
}

let server: Server
let hub: Hub
let auth: Auth
let port = 0
let clock: SteppedClock
let sessions: ChannelSession[] = []
let seen: string[] = []
let mistakes: unknown[] = []
const pages: Page[] = []

const live: Channel = {
  name: 'live', grant: 'chat',
  open(session) {
    sessions.push(session)
    session.send('live.activity', '{"sessions":[]}')
    return {
      async onFrame(frame) {
        if (frame.type === 'live.boom') throw new Error('a mistake of ours')
        if (frame.type === 'live.wrong') return { code: 'session_unknown', detail: { hint: 1 } }
        await new Promise((resolve) => setTimeout(resolve, frame.payload.wait as number ?? 0))
        seen.push(String(frame.payload.n))
        return undefined
      },
      onClose: () => void seen.push('closed'),
    }
  },
}

beforeEach(async () => {
  clock = createSteppedClock()
  sessions = []
  seen = []
  mistakes = []
  auth = createAuth({ repo: createFakeDoorRepo(), clock, chance: systemChance })
  hub = createHub({
    auth, clock, chance: systemChance, channels: [live], onMistake: (error) => mistakes.push(error), queueBytesMax: 200_000,
    facts: () => ({ server_version: '1.2.3', host_name: 'attic', hermes: { kind: 'embedded', ready: true, version: null, demo: true } }),
  })
  server = createServer().on('upgrade', (request, socket, head) => {
    if (hub.accept(request, socket, head, { address: '127.0.0.1', unknownOrigin: null })) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  await hub.close()
  for (const page of pages.splice(0)) page.socket.terminate()
  server.close()
})

const open = (): Page => pages[pages.push(new Page(port)) - 1]!
async function signedIn(): Promise<{ page: Page; token: string; deviceId: string }> {
  const page = open()
  const { payload } = await page.auth({ pairing_code: (await auth.mintCode()).code, device_name: 'Laptop' })
  return { page, token: String(payload.session_token), deviceId: String(payload.device_id) }
}

test('auth.ok says who, until when, what is granted and what runs; channels open after it', async () => {
  const { page } = await signedIn()
  expect(page.frames[0]).toMatchObject({ channel: 'system', type: 'auth.ok', payload: { protocol: PROTOCOL_VERSION, server_version: '1.2.3', host_name: 'attic', device_name: 'Laptop', hermes: { demo: true }, profiles: [], grants: { chat: expect.any(Number), admin: expect.any(Number) } } })
  expect((await page.frame((frame) => frame.channel === 'live')).type).toBe('live.activity')
})

test.each([
  ['not json', 'Invalid message format', 'frame_malformed'],
  ['[1]', 'Invalid message format', 'frame_malformed'],
  ['{"channel":"live","type":"live.attach","payload":{}}', 'First message must be system/auth', 'auth_required'],
  ['{"no":"envelope"}', 'First message must be system/auth', 'frame_malformed'],
  ['{"channel":"system","type":"auth","payload":{"pairing_code":7}}', 'Invalid message format', 'frame_malformed'],
  ['{"channel":"system","type":"auth","payload":{"pairing_code":"ABC123"}}', 'Invalid pairing code or session token', 'code_unknown'],
  ['{"channel":"system","type":"auth","payload":{}}', 'Invalid pairing code or session token', 'auth_required'],
])('a first frame %s fails with the words of the contract and a code of ours', async (text, reason, code) => {
  const page = open()
  await once(page.socket, 'open')
  page.socket.send(text)
  expect(await page.frame((frame) => frame.type === 'auth.fail')).toMatchObject({ payload: { reason, code, say: expect.any(String), next: expect.any(String) } })
  expect((await page.gone()).code).toBe(4401)
})

test('what changes behind the relay is told to everybody who is signed in, and to nobody else', async () => {
  const { page } = await signedIn()
  const stranger = open()
  await once(stranger.socket, 'open')
  hub.tell('hermes', { ready: false })
  expect((await page.frame((frame) => frame.type === 'hermes')).payload).toEqual({ ready: false })
  expect(stranger.frames).toEqual([])
})

test('silence is closed after AUTH_WITHIN_MS, a blocked guesser waits and learns 4429', async () => {
  const silent = open()
  await once(silent.socket, 'open')
  await until(() => { clock.step(AUTH_WITHIN_MS); return silent.closed })
  expect(silent.frames[0]).toMatchObject({ payload: { reason: 'Authentication timeout' } })
  for (let n = 0; n < 11; n++) await auth.authenticate({ supports: {}, pairing_code: 'WRONG1' }, { address: '127.0.0.1', unknownOrigin: null })
  const guesser = open()
  const answer = guesser.auth({ pairing_code: 'WRONG2' })
  await once(guesser.socket, 'open')
  await until(() => { clock.step(100); return guesser.closed })
  expect(await answer).toMatchObject({ payload: { code: 'rate_limited' } })
  expect(guesser.closed?.code).toBe(4429)
})

test('an old page is told to reload and its code is not consumed; a client of the contract gets the system channel only', async () => {
  const { code } = await auth.mintCode()
  const old = open()
  expect(await old.auth({ pairing_code: code, supports: { protocol: PROTOCOL_VERSION + 1, live: 1 } })).toMatchObject({ type: 'auth.fail', payload: { code: 'client_outdated' } })
  expect(await old.gone()).toEqual({ code: 4426, reason: 'client_outdated' })
  const older = open()
  expect(await older.auth({ pairing_code: code, supports: { live: 1 } })).toMatchObject({ payload: { code: 'client_outdated' } })
  const contract = open()
  expect(await contract.auth({ pairing_code: code, supports: { typed_stream_events: true } })).toMatchObject({ type: 'auth.ok' })
  contract.say('live', 'live.attach', {}, 'x')
  expect(await contract.frame((frame) => frame.type === 'error')).toMatchObject({ id: 'x', payload: { message: 'Unknown channel: live' } })
})

test('ping answers with ts and id; nothing malformed kills the socket', async () => {
  const { page } = await signedIn()
  for (const text of ['', 'nope', 'null', '7', '[]', '"x"', '{}', '{"channel":"live","type":3}', '{"channel":"live","type":"t","payload":[]}', '{"__proto__":{"channel":"x"}}']) page.socket.send(text)
  page.socket.send(Buffer.from([1, 2, 3]))
  page.say('nothing', 'x', {}, 'n1')
  page.say('system', 'dance', {}, 'n2')
  page.say('system', 'pong', {})
  page.say('live', 'live.boom', { session: 's1', client_msg_id: 'm1' }, 'b1')
  page.say('live', 'live.wrong', { session: 's1' }, 'w1')
  page.say('system', 'ping', { ts: 42 }, 'p1')
  expect(await page.frame((frame) => frame.type === 'pong')).toEqual({ channel: 'system', type: 'pong', id: 'p1', payload: { ts: 42 } })
  expect(await page.frame((frame) => frame.id === 'n1')).toMatchObject({ channel: 'system', type: 'error', payload: { message: 'Unknown channel: nothing' } })
  expect(await page.frame((frame) => frame.id === 'b1')).toMatchObject({ channel: 'live', type: 'live.refused', payload: { code: 'internal', session: 's1', client_msg_id: 'm1', ask_id: null } })
  expect(await page.frame((frame) => frame.id === 'w1')).toMatchObject({ type: 'live.refused', payload: { code: 'session_unknown', session: 's1', client_msg_id: null, detail: { hint: 1 } } })
  expect(mistakes).toHaveLength(1)
  expect(page.closed).toBeNull()
})

test('frames of a channel go one by one, while a ping overtakes them', async () => {
  const { page } = await signedIn()
  page.say('live', 'x', { n: 1, wait: 60 })
  page.say('live', 'x', { n: 2 })
  page.say('system', 'ping', { ts: 1 })
  await page.frame((frame) => frame.type === 'pong')
  expect(seen).toEqual([])
  await until(() => seen.length === 2)
  expect(seen).toEqual(['1', '2'])
})

test('a revoked device is closed at once; a grant that ends is refused in the middle of the connection, in both directions', async () => {
  const { page, deviceId } = await signedIn()
  await auth.revoke(deviceId)
  expect(await page.gone()).toEqual({ code: 4403, reason: 'session_revoked' })
  await until(() => seen.includes('closed'))
  const second = await signedIn()
  const session = sessions.at(-1)!
  expect(session.hasGrant('chat')).toBe(true)
  clock.nowMs += 30 * 86_400_000
  expect(session.hasGrant('chat')).toBe(false)
  session.send('live.activity', '{"secret":1}')
  second.page.say('live', 'x', { n: 9 })
  expect(await second.page.gone()).toEqual({ code: 1000, reason: 'session_expired' })
  expect(second.page.frames.filter((frame) => 'secret' in frame.payload)).toEqual([])
  expect(seen).not.toContain('9')
})

test('a reader that never reads is closed with 4408 when its queue is full', async () => {
  const { page } = await signedIn()
  page.socket.pause()
  const text = JSON.stringify({ text: 'x'.repeat(10_000) })
  for (let n = 0; n < 40; n++) sessions.at(-1)!.send('live.event', text)
  page.socket.resume()
  expect(await page.gone()).toEqual({ code: 4408, reason: 'slow_reader' })
})

test('limits: SOCKETS_PER_DEVICE_MAX, WAITING_SOCKETS_MAX, SOCKETS_MAX', async () => {
  const { token } = await signedIn()
  for (let n = 1; n < SOCKETS_PER_DEVICE_MAX; n++) expect((await open().auth({ session_token: token })).type).toBe('auth.ok')
  const oneTooMany = open()
  expect(await oneTooMany.auth({ session_token: token })).toMatchObject({ payload: { code: 'too_many_sockets' } })
  expect((await oneTooMany.gone()).code).toBe(1013)
  while (hub.socketCount < SOCKETS_MAX) {
    const other = await signedIn()
    for (let n = 1; n < SOCKETS_PER_DEVICE_MAX && hub.socketCount < SOCKETS_MAX; n++) await open().auth({ session_token: other.token })
  }
  expect(await open().auth({ pairing_code: (await auth.mintCode()).code })).toMatchObject({ payload: { code: 'too_many_sockets' } })
  await until(() => pages.filter((page) => page.closed).length >= 2)
  await new Promise((resolve) => setTimeout(resolve, 30)) // The relay hears of it a moment later.
  const oldest = open()
  await once(oldest.socket, 'open')
  for (let n = 0; n < WAITING_SOCKETS_MAX; n++) await once(open().socket, 'open')
  await oldest.gone()
  expect(oldest.frames).toEqual([])
})

test('a dead socket is dropped after SILENCE_MS_MAX, a living one is not', async () => {
  const { page } = await signedIn()
  await until(() => page.frames.length > 1)
  const { page: dead } = await signedIn()
  dead.socket.pause()
  await new Promise((resolve) => setTimeout(resolve, 30))
  for (let ms = 0; ms <= SILENCE_MS_MAX + HEARTBEAT_MS; ms += HEARTBEAT_MS) {
    clock.step(HEARTBEAT_MS)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await until(() => hub.socketCount === 1)
  expect(page.closed).toBeNull()
})

test('a frame beyond FRAME_BYTES_MAX is not read', async () => {
  const { page } = await signedIn()
  page.say('live', 'x', { n: 'y'.repeat(FRAME_BYTES_MAX) })
  expect((await page.gone()).code).toBe(1009)
})

test('shutdown says goodbye with 1001 and does not wait for those who do not answer', async () => {
  const { page } = await signedIn()
  const { page: deaf } = await signedIn()
  deaf.socket.pause()
  const startedAt = performance.now()
  await hub.close()
  expect(performance.now() - startedAt).toBeLessThan(1_500)
  expect(await page.gone()).toEqual({ code: 1001, reason: 'server shutting down' })
})
