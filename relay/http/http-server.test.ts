/** The listening sockets by themselves: addresses, a taken port, and the bound on connections. */
import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { answerClientError, CONNECTIONS_MAX, createHttpServer, type HttpParts, type HttpServer } from './http-server.ts'

const parts: HttpParts = { fetch: () => new Response('ok'), judge: async () => ({ kind: 'pass', unknownOrigin: null, corsOrigin: null }), upgrade: async () => 'route_unknown', onMistake: () => {} }
const servers: HttpServer[] = []
const create = (more: Partial<HttpParts> = {}): HttpServer => servers[servers.push(createHttpServer({ ...parts, ...more })) - 1]!
afterEach(async () => { for (const server of servers.splice(0)) await server.close() })

test('both loopback addresses share one port; an address that this machine has not is left out, the first must be there', async () => {
  const port = await create().listen(['127.0.0.1', '::1', '2001:db8::77'], 0)
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok')
  await expect(create().listen(['192.0.2.77'], 0)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
})

test('a taken port is the caller\'s business, on whichever address', async () => {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  const { port } = squatter.address() as AddressInfo
  await expect(create().listen(['127.0.0.1'], port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(create().listen(['127.0.0.2', '127.0.0.1'], port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  squatter.close()
})

test('a mistake in a route is 500 in JSON, and is told; the connection lives on', async () => {
  const mistakes: unknown[] = []
  const port = await create({ judge: async () => { throw new Error('ours') }, onMistake: (error) => mistakes.push(error) }).listen(['127.0.0.1'], 0)
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  expect([answer.status, ((await answer.json()) as { code: string }).code, mistakes.length]).toEqual([500, 'internal', 1])
})

test('connections beyond CONNECTIONS_MAX are dropped', { timeout: 15_000 }, async () => {
  const port = await create().listen(['127.0.0.1'], 0)
  const sockets: Socket[] = []
  for (let n = 0; n < CONNECTIONS_MAX; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
  }
  const extra = connect(port, '127.0.0.1').on('error', () => {})
  await once(extra, 'close')
  expect(sockets.filter((socket) => socket.closed)).toEqual([])
  for (const socket of sockets) socket.destroy()
})

function answered(code: string, bytesRead: number): { said: string; destroyed: boolean } {
  const socket = Object.assign(new PassThrough(), { bytesRead })
  answerClientError(Object.assign(new Error(code), { code }), socket)
  return { said: String(socket.read() ?? ''), destroyed: socket.destroyed }
}

test('a connection that a browser opened in advance is closed without a word: it would be read as the answer to its next request', () => {
  expect(answered('ERR_HTTP_REQUEST_TIMEOUT', 0)).toEqual({ said: '', destroyed: true })
  expect(answered('HPE_INVALID_EOF_STATE', 0)).toEqual({ said: '', destroyed: true })
  expect(answered('ERR_HTTP_REQUEST_TIMEOUT', 40)).toEqual({ said: '', destroyed: true })
})

test('what is no HTTP is told so', () => {
  expect(answered('HPE_INVALID_METHOD', 20).said).toMatch(/^HTTP\/1\.1 400 /)
  expect(answered('HPE_HEADER_OVERFLOW', 20_000).said).toMatch(/^HTTP\/1\.1 413 /)
})
