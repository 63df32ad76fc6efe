/** The real transport against small dashboards of our own, open and gated: credentials, renewal, sockets, bounds. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { systemClock } from '#relay/clock/clock.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'
import { createDashboardTransport } from './dashboard-transport.ts'

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
const cleanups: (() => void)[] = []
afterEach(() => { for (const cleanup of cleanups.splice(0)) cleanup() })

async function dashboard(answer: (seen: Seen, response: ServerResponse) => void, onSocket?: (request: IncomingMessage) => boolean) {
  const seen: Seen[] = []
  const sockets: IncomingMessage[] = []
  const webSockets = new WebSocketServer({ noServer: true })
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => { body += chunk })
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      seen.push(one)
      answer(one, response)
    })
  })
  server.on('upgrade', (request, socket, head) => {
    sockets.push(request)
    if (!onSocket?.(request)) return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    webSockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.send('{"jsonrpc":"2.0","method":"event"}')
      accepted.on('message', (data) => accepted.send(`echo ${String(data)}`))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => { server.closeAllConnections(); server.close() })
  return { seen, sockets, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string | string[]> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body))
const connect = (baseUrl: string, secrets: Partial<{ token: string; user: string; password: string }> = {}): UpstreamTransport => {
  const transport = createDashboardTransport({ baseUrl, clock: systemClock, secrets: { token: null, user: null, password: null, ...secrets } })
  cleanups.push(() => transport.close())
  return transport
}
const get = (transport: UpstreamTransport, path = '/api/sessions', more: { bytesMax?: number; timeoutMs?: number } = {}) => transport.request({ method: 'GET', path, timeoutMs: 3_000, ...more })

/** An open dashboard whose process token changes when it restarts. */
async function openDashboard() {
  const state = { token: 'first-token-0123456789' }
  const page = await dashboard((seen, response) => {
    if (seen.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(`<script>window.__HERMES_SESSION_TOKEN__="${state.token}";</script>`)
    else if (seen.headers['x-hermes-session-token'] === state.token) send(response, 200, { sessions: [] }, { 'x-secret': 'never' })
    else send(response, 401, { error: 'unauthenticated' })
  }, (request) => request.url === `/api/ws?token=${state.token}`)
  return { ...page, state }
}
/** A gated dashboard: password, cookies that rotate, one ticket per socket. */
async function gatedDashboard() {
  const state = { access: 'a1', logins: 0, tickets: 0, ticket: '' }
  const page = await dashboard((seen, response) => {
    const isIn = (seen.headers.cookie ?? '').includes(`hermes_session_at=${state.access}`)
    if (seen.url === '/') response.writeHead(302, { location: '/login?next=%2F' }).end()
    else if (seen.url === '/auth/password-login') {
      state.logins++
      if (JSON.parse(seen.body).password !== 'right') send(response, 401, {})
      else send(response, 200, { ok: true }, { 'set-cookie': [`hermes_session_at=${state.access}; Max-Age=60; HttpOnly; Path=/`, 'hermes_session_rt=r1; Path=/'] })
    } else if (!isIn) send(response, 401, { error: 'session_expired' })
    else if (seen.url === '/api/auth/ws-ticket') {
      state.ticket = `t+/${++state.tickets}`
      send(response, 200, { ticket: state.ticket, ttl_seconds: 30 })
    } else send(response, 200, { sessions: [] })
  }, (request) => new URL(request.url ?? '', 'http://x').searchParams.get('ticket') === state.ticket)
  return { ...page, state }
}
type Log = { opened: boolean; frames: string[]; closed: { code: number | null; reason: string; refusal: string | null }[] }
const open = (transport: UpstreamTransport) => {
  const log: Log = { opened: false, frames: [], closed: [] }
  const socket = transport.openGateway({ onOpen: () => { log.opened = true }, onFrame: (text) => log.frames.push(text), onClose: (info) => log.closed.push(info) })
  return { log, socket }
}
const until = async (holds: () => unknown) => {
  for (let n = 0; n < 500 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 4))
  expect(holds()).toBeTruthy()
}

test('open: the token is read from the page once, kept, and read again once after a restart', async () => {
  const { base, seen, state } = await openDashboard()
  const transport = connect(`${base}/`)
  expect(await Promise.all([get(transport), get(transport), get(transport)])).toEqual(Array(3).fill({ kind: 'answer', status: 200, contentType: 'application/json', body: '{"sessions":[]}', retryAfterS: null }))
  expect(seen.filter(({ url }) => url === '/')).toHaveLength(1)
  state.token = 'second-token-0123456789'
  expect((await Promise.all([get(transport), get(transport)])).map(({ kind }) => kind)).toEqual(['answer', 'answer'])
  expect(seen.filter(({ url }) => url === '/')).toHaveLength(2)
  const { origin, referer, cookie, host } = seen.at(-1)!.headers
  expect([origin, referer, cookie, host]).toEqual([undefined, undefined, undefined, new URL(base).host])
})
test('open: a configured token wins; a wrong one is a sign-in, after one more try', async () => {
  const { base, seen, state } = await openDashboard()
  expect(await get(connect(base, { token: state.token }))).toMatchObject({ kind: 'answer' })
  expect(seen.filter(({ url }) => url === '/')).toEqual([])
  expect(await get(connect(base, { token: 'wrong-token-0123456789' }))).toMatchObject({ kind: 'sign_in' })
  expect(seen).toHaveLength(3)
})
test('open: a socket carries the token, no Origin, and ends with one onClose', async () => {
  const { base, sockets, state } = await openDashboard()
  const transport = connect(base)
  const { log, socket } = open(transport)
  await until(() => log.frames.length === 1)
  socket.send('hello')
  await until(() => log.frames.includes('echo hello'))
  expect(sockets[0]?.headers.origin).toBeUndefined()
  socket.close()
  socket.close()
  socket.send('into the void')
  await until(() => log.closed.length === 1)
  state.token = 'second-token-0123456789'
  const afterRestart = open(transport)
  await until(() => afterRestart.log.opened)
  expect(afterRestart.log.closed).toEqual([])
})
test('open: a socket that stays refused ends as sign_in, once', async () => {
  const { base } = await openDashboard()
  const { log } = open(connect(base, { token: 'wrong-token-0123456789' }))
  await until(() => log.closed.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(log).toEqual({ opened: false, frames: [], closed: [{ code: null, reason: 'Hermes answers 403.', refusal: 'sign_in' }] })
})
test('gated: one log-in for all who were refused, cookies kept, newest first', async () => {
  const { base, state, seen } = await gatedDashboard()
  const transport = connect(base, { user: 'operator', password: 'right' })
  expect((await Promise.all([get(transport), get(transport), get(transport)])).map(({ kind }) => kind)).toEqual(['answer', 'answer', 'answer'])
  expect(state.logins).toBe(1)
  state.access = 'a2'
  expect((await Promise.all([get(transport), get(transport)])).map(({ kind }) => kind)).toEqual(['answer', 'answer'])
  expect(state.logins).toBe(2)
  expect(seen.at(-1)?.headers.cookie).toBe('hermes_session_at=a2; hermes_session_rt=r1')
})
test('gated: a fresh ticket for every socket, escaped', async () => {
  const { base, state } = await gatedDashboard()
  const transport = connect(base, { user: 'operator', password: 'right' })
  for (let n = 1; n <= 2; n++) {
    const { log } = open(transport)
    await until(() => log.opened)
    expect(state.tickets).toBe(n)
  }
  state.access = 'a3'
  const { log } = open(transport)
  await until(() => log.opened)
  expect(state.logins).toBe(2)
})
test('gated without a credential, or with a wrong one: sign_in, and no storm of log-ins', async () => {
  const { base, state } = await gatedDashboard()
  expect(await get(connect(base))).toMatchObject({ kind: 'sign_in' })
  expect(state.logins).toBe(0)
  const wrong = connect(base, { user: 'operator', password: 'wrong' })
  expect(await get(wrong)).toMatchObject({ kind: 'sign_in' })
  const { log } = open(wrong)
  await until(() => log.closed.length === 1)
  expect(log.closed[0]).toMatchObject({ code: null, refusal: 'sign_in' })
  expect(state.logins).toBe(1) // LOGIN_PAUSE_MS keeps it at one.
})
test('bounds: size, time, nobody there, HTML, redirects, broken addresses', async () => {
  const { base, seen } = await dashboard(({ url }, response) => {
    if (url === '/big') send(response, 200, 'x'.repeat(5_000))
    else if (url === '/slow') return
    else if (url === '/html') send(response, 200, '<html>', { 'content-type': 'text/html' })
    else if (url === '/redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/login' }).end()
    else if (url === '/busy') send(response, 503, { detail: 'busy' }, { 'retry-after': '7' })
    else send(response, 200, {})
  })
  const transport = connect(base, { token: 'some-token-0123456789' })
  expect(await get(transport, '/big', { bytesMax: 4_999 })).toEqual({ kind: 'too_large' })
  expect(await get(transport, '/big', { bytesMax: 5_000 })).toMatchObject({ kind: 'answer' })
  expect(await get(transport, '/slow', { timeoutMs: 50 })).toEqual({ kind: 'unreachable', reason: 'timeout' })
  expect(await get(transport, '/html')).toMatchObject({ kind: 'sign_in' })
  expect(await get(transport, '/redirect')).toMatchObject({ kind: 'sign_in' })
  expect(await get(transport, '/busy')).toMatchObject({ kind: 'answer', status: 503, retryAfterS: 7 })
  expect(seen.some(({ url }) => url.includes('login'))).toBe(false)
  const gone = await dashboard(() => {})
  for (const cleanup of cleanups.splice(-1)) cleanup()
  const nobody = connect(gone.base)
  expect(await get(nobody)).toMatchObject({ kind: 'unreachable', reason: 'ECONNREFUSED' })
  const { log } = open(nobody)
  await until(() => log.closed.length === 1)
  expect(log.closed[0]).toMatchObject({ code: null, refusal: null })
  expect(await get(connect('http://exa mple'))).toMatchObject({ kind: 'unreachable' })
})
