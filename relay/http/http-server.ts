/**
 * The listening sockets: guards first (on the raw request, before any parser), then the app or the hub. One server per address, so that
 * `127.0.0.1` and `::1` are both ours.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { REFUSALS, Refused, type RefusalCode, refusalBody } from '#protocol/refusal/refusal.ts'
import type { Peer } from '#relay/auth/auth.ts'
import { createAddressCap } from './address-cap.ts'
import type { RequestFacts, Verdict } from './request-guard.ts'
import { NO_STORE, SECURITY_HEADERS } from './security-headers.ts'

export const HEADER_BYTES_MAX = 16 * 1_024
export const BODY_BYTES_MAX = 2 * 1_024 * 1_024
export const CONNECTIONS_MAX = 512
const HEADERS_WITHIN_MS = 15_000
const REQUEST_WITHIN_MS = 60_000

/** What a route knows about its request beyond the request itself. */
export type RequestEnv = { address: string; corsOrigin: string | null }
export type HttpParts = {
  fetch(request: Request, env: RequestEnv): Promise<Response> | Response
  judge(facts: RequestFacts): Promise<Verdict>
  /** Takes the socket, or names why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): Promise<RefusalCode | null>
  onMistake(error: unknown): void
}

export interface HttpServer {
  /** The first host must be there; further ones may be missing on this machine (no IPv6). Port 0 is chosen by the system, then shared. */
  listen(hosts: readonly string[], port: number): Promise<number>
  close(): Promise<void>
}

export function createHttpServer(parts: HttpParts): HttpServer {
  const servers: Server[] = []
  const capAddress = createAddressCap()
  const envs = new WeakMap<IncomingMessage, RequestEnv>()
  const listener = getRequestListener((request, { incoming }) => parts.fetch(request, envs.get(incoming as IncomingMessage) as RequestEnv), { overrideGlobalObjects: false })

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verdict = await parts.judge(factsOf(request, false))
    if (verdict.kind === 'refused') return answerRefusal(response, verdict.code)
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return answerRefusal(response, 'body_too_large')
    envs.set(request, { address: addressOf(request), corsOrigin: verdict.corsOrigin })
    await listener(request, response)
  }

  async function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const verdict = await parts.judge(factsOf(request, true))
    const refusal = verdict.kind === 'refused' ? verdict.code : await parts.upgrade(request, socket, head, { address: addressOf(request), unknownOrigin: verdict.unknownOrigin })
    if (refusal) refuseUpgrade(socket, refusal)
  }

  function create(): Server {
    const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: HEADERS_WITHIN_MS, requestTimeout: REQUEST_WITHIN_MS })
    server.maxConnections = CONNECTIONS_MAX
    server.on('connection', capAddress)
    server.on('request', (request, response) => {
      onRequest(request, response).catch((error: unknown) => {
        parts.onMistake(error)
        if (response.headersSent) response.destroy()
        else answerRefusal(response, error instanceof Refused ? error.code : 'internal')
      })
    })
    server.on('upgrade', (request, socket, head) => {
      onUpgrade(request, socket, head).catch((error: unknown) => {
        parts.onMistake(error)
        refuseUpgrade(socket, 'internal')
      })
    })
    server.on('clientError', answerClientError)
    return server
  }

  return {
    async listen(hosts, port) {
      let bound = port
      for (const [index, host] of hosts.entries()) {
        const server = create()
        const failure = await listenOn(server, host, bound, hosts.length > 1)
        if (failure && index === 0) throw failure
        if (failure && failure.code !== 'EADDRNOTAVAIL' && failure.code !== 'EAFNOSUPPORT') {
          await Promise.all(servers.map(closeServer))
          throw failure
        }
        if (failure) continue
        bound = (server.address() as AddressInfo).port
        servers.push(server)
      }
      return bound
    },
    async close() {
      await Promise.all(servers.splice(0).map(closeServer))
    },
  }
}

/** `::` beside `0.0.0.0` must leave IPv4 to the other; alone it takes both. */
const listenOn = (server: Server, host: string, port: number, isOneOfMany: boolean): Promise<NodeJS.ErrnoException | null> => new Promise((resolve) => {
  server.once('error', resolve)
  server.listen({ host, port, ipv6Only: isOneOfMany && host.includes(':') }, () => {
    server.off('error', resolve)
    resolve(null)
  })
})

const closeServer = (server: Server): Promise<void> => new Promise((resolve) => {
  server.close(() => resolve())
  server.closeAllConnections()
})

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(',') : value)

const factsOf = (request: IncomingMessage, isUpgrade: boolean): RequestFacts => ({
  method: request.method ?? '', target: request.url ?? '', host: request.headers.host, origin: request.headers.origin, fetchSite: one(request.headers['sec-fetch-site']), fetchMode: one(request.headers['sec-fetch-mode']), isUpgrade,
})

/** The peer of the TCP connection; forwarding headers prove nothing. */
const addressOf = (request: IncomingMessage): string => (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')

function answerRefusal(response: ServerResponse, code: RefusalCode): void {
  const body = JSON.stringify(refusalBody(code))
  response.writeHead(REFUSALS[code].http, { ...SECURITY_HEADERS, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'cache-control': NO_STORE, connection: 'close' })
  response.end(body)
}

function refuseUpgrade(socket: Duplex, code: RefusalCode): void {
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify(refusalBody(code))
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'cache-control': NO_STORE, connection: 'close' }
  socket.end(`HTTP/1.1 ${REFUSALS[code].http} Refused\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

/**
 * What is no request gets one answer. A connection that never said anything gets none: browsers open some in advance, and would take
 * what waits there as the answer to their next request.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex & { bytesRead?: number }): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy()
  else refuseUpgrade(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 'body_too_large' : 'body_malformed')
}
