/** Composition root: builds the relay from its parts, knows no rule. Tests start it in-process on port 0. */
import { networkInterfaces } from 'node:os'
import { Hono } from 'hono'
import { Refused } from '#protocol/refusal/refusal.ts'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import type { Auth } from './auth/auth.ts'
import { createDeviceGate, type DeviceGate } from './auth/device-gate.ts'
import { createDeviceRoutes } from './auth/device-routes.ts'
import type { Chance, Clock } from './clock/clock.ts'
import type { Config } from './config.ts'
import { createHttpServer, type RequestEnv } from './http/http-server.ts'
import { answerRefused } from './http/refusal-answer.ts'
import { judgeRequest, parseHost, type RequestFacts, SHARE_TARGET, type Verdict } from './http/request-guard.ts'
import { isTrustworthy, NO_STORE, OPENER_POLICY, SECURITY_HEADERS } from './http/security-headers.ts'
import { createStaticApp, type StaticApp } from './http/static-app.ts'
import type { Channel } from './hub/channel.ts'
import { createHub, type Hub } from './hub/hub.ts'
import { createHermesWatch, type HermesWatch } from './ingress/hermes-watch.ts'
import { createIngressRoutes, type OnDelete } from './ingress/ingress-routes.ts'
import type { UpstreamTransport } from './lease/upstream-transport.ts'

export type RelayParts = {
  auth: Auth
  transport: UpstreamTransport
  channels: readonly Channel[]
  clock: Clock
  chance: Chance
  /** Folder of the built page. */
  webFolder: string
  version: string
  hostName: string
  onDelete?: OnDelete
  /** Conversations that lists leave out: they are about to be deleted. */
  isHidden?(storedId: string): boolean
  /** A page changed the configuration of Hermes, and Hermes took it. */
  onConfigChanged?(): Promise<void>
  /** Routes of other rooms below `/relay`, behind the same gate. */
  moreRoutes?(gate: DeviceGate): Hono<Env>
  /** Our own mistakes, for the log. */
  onMistake(error: unknown): void
}

export interface Relay {
  /** Opens the port and looks for Hermes once. Throws the system's error when the port is taken. */
  listen(port: number): Promise<number>
  readonly hub: Hub
  readonly hermes: HermesWatch
  readonly isPageBuilt: boolean
  /** The link that makes a browser a device: `localhost`, or the LAN address for a device elsewhere. */
  claimUrl(code: string, from: 'here' | 'lan'): string
  lanOrigin(): string | null
  close(): Promise<void>
}

export type Settings = Pick<Config, 'host' | 'lan' | 'hostNames' | 'allowedOrigins'>
type Env = { Bindings: RequestEnv }

export function createRelay(settings: Settings, parts: RelayParts): Relay {
  const { auth, clock, chance, transport, onMistake } = parts
  let port = 0
  const hermes = createHermesWatch(transport, clock, (facts) => hub.tell('hermes', facts))
  const web = createStaticApp(parts.webFolder)
  const hub: Hub = createHub({ auth, channels: parts.channels, clock, chance, onMistake, facts: () => ({ server_version: parts.version, host_name: parts.hostName, hermes: hermes.facts() }) })
  const localOrigin = () => `http://localhost:${port}`
  const lanOrigin = () => (settings.lan ? lanOriginOf(port) : null)
  const appOf = buildApp({ parts, web, hermes, port: () => port, claimUrl: (code, request) => `${originOf(request, localOrigin(), lanOrigin())}/app/#claim=${code}` })

  async function judge(facts: RequestFacts): Promise<Verdict> {
    const isForeign = facts.origin !== undefined && !facts.origin.endsWith(`://${facts.host}`)
    const knownOrigins = new Set(isForeign ? [...settings.allowedOrigins, ...(await auth.pairedOrigins())] : [])
    const localNames = new Set(['localhost', '127.0.0.1', '::1', ...settings.host.filter((host) => host !== '0.0.0.0' && host !== '::'), ...(settings.lan ? lanAddresses() : [])])
    return judgeRequest(facts, { localNames, configuredNames: new Set(settings.hostNames), port, knownOrigins })
  }

  const server = createHttpServer({
    judge, onMistake,
    fetch: (request, env) => appOf.fetch(request, env),
    async upgrade(request, socket, head, peer) {
      if (!/^\/(?:relay\/)?ws(?:\?|$)/.test(request.url ?? '')) return 'route_unknown'
      if (peer.unknownOrigin !== null && !(await auth.hasOpenCode())) return 'origin_refused'
      return hub.accept(request, socket, head, peer)
    },
  })
  return {
    hub, hermes, lanOrigin,
    isPageBuilt: web.isBuilt,
    claimUrl: (code, from) => `${(from === 'lan' && lanOrigin()) || localOrigin()}/app/#claim=${code}`,
    async listen(wanted) {
      port = await server.listen(listenHosts(settings), wanted)
      await hermes.look()
      return port
    },
    async close() {
      hermes.stop()
      await hub.close()
      await server.close()
      transport.close()
    },
  }
}

type AppParts = { parts: RelayParts; web: StaticApp; hermes: HermesWatch; port(): number; claimUrl(code: string, request: Request): string }

function buildApp({ parts, web, hermes, port, claimUrl }: AppParts): Hono<Env> {
  const gate = createDeviceGate(parts.auth, parts.clock)
  const app = new Hono<Env>()
  app.use(async (context, next) => {
    const { corsOrigin } = context.env
    if (context.req.method === 'OPTIONS') {
      if (corsOrigin === null) throw new Refused('method_refused')
      context.res = new Response(null, { status: 204 })
    } else await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value)
    if (isTrustworthy(context.req.raw)) context.res.headers.set(...OPENER_POLICY)
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', NO_STORE)
    if (corsOrigin !== null) for (const [name, value] of Object.entries(corsHeaders(corsOrigin))) context.res.headers.set(name, value)
  })
  app.onError((error, context) => {
    if (error instanceof Refused) return answerRefused(context, error)
    parts.onMistake(error)
    return answerRefused(context, new Refused('internal'))
  })
  app.notFound((context) => answerRefused(context, new Refused('route_unknown')))

  const health = () => ({ status: 'ok', version: parts.version, protocol: PROTOCOL_VERSION, hermes: (({ kind, ready, version }) => ({ kind, ready, version }))(hermes.facts()) })
  for (const path of ['/relay/health', '/health', '/healthz']) app.get(path, (context) => context.json(health()))
  app.route('/relay', createDeviceRoutes({ auth: parts.auth, clock: parts.clock, gate, claimUrl }))
  app.route('/dashboard', createIngressRoutes({ transport: parts.transport, gate, ...(parts.onDelete && { onDelete: parts.onDelete }), ...(parts.isHidden && { isHidden: parts.isHidden }), ...(parts.onConfigChanged && { onConfigChanged: parts.onConfigChanged }) }))
  if (parts.moreRoutes) app.route('/relay', parts.moreRoutes(gate))

  const page = (answer: (request: Request, path: string) => Response | null) => (context: { req: { raw: Request } }) => {
    const request = context.req.raw
    const url = new URL(request.url)
    // Browser data hangs on the origin: one name for this machine (ruling 7). The fragment comes along by itself.
    if (isNavigation(request) && /^(?:127\.0\.0\.1|\[::1\])$/.test(url.hostname)) return new Response(null, { status: 302, headers: { location: `http://localhost:${port()}${url.pathname}${url.search}` } })
    const found = answer(request, url.pathname)
    if (!found) throw new Refused('route_unknown')
    return found
  }
  const toApp = () => new Response(null, { status: 302, headers: { location: '/app/' } })
  app.get('/', page(toApp))
  app.get('/app', page(toApp))
  app.get('/app/*', page((request, path) => web.answer(path.slice('/app/'.length), request)))
  // The service worker takes this one; without it what was shared is lost, and the page opens all the same.
  app.post(SHARE_TARGET, (context) => {
    if (context.req.header('sec-fetch-mode') !== 'navigate') throw new Refused('method_refused')
    return new Response(null, { status: 303, headers: { location: '/app/' } })
  })
  for (const path of ['/', '/app', '/app/*', '/relay/health', '/health', '/healthz', '/relay/me', '/relay/devices', '/relay/devices/code', '/relay/sign-out']) app.all(path, () => { throw new Refused('method_refused') })
  return app
}

const corsHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin, 'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE', 'access-control-allow-headers': 'authorization, content-type', 'access-control-max-age': '600', vary: 'Origin',
})

function isNavigation(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode')
  return mode === null ? (request.headers.get('accept') ?? '').includes('text/html') : mode === 'navigate'
}

/** The link for another device leads to where the page itself was opened, unless that was this very machine. */
function originOf(request: Request, local: string, lan: string | null): string {
  const host = parseHost(request.headers.get('host') ?? '')
  if (!host || host.name === 'localhost' || host.name === '127.0.0.1' || host.name === '::1') return lan ?? local
  const origin = request.headers.get('origin')
  return origin !== null && new URL(origin).host === request.headers.get('host') ? origin : `http://${request.headers.get('host')}`
}

function listenHosts({ host, lan }: Settings): readonly string[] {
  if (host.length > 0) return host
  return lan ? ['0.0.0.0', '::'] : ['127.0.0.1', '::1']
}

const lanAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).filter((entry) => !entry.internal).map((entry) => entry.address))

function lanOriginOf(port: number): string | null {
  const address = Object.values(networkInterfaces()).flat().find((entry) => entry && !entry.internal && entry.family === 'IPv4')?.address
  return address === undefined ? null : `http://${address}:${port}`
}
