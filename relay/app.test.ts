/** The relay as a whole, on a real port: every guard attacked over the wire, every route with and without a token, and the canaries. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { createRelay, type Relay } from './app.ts'
import { type Auth, createAuth, type Welcome } from './auth/auth.ts'
import { createDoorRepo } from './auth/door-repo.ts'
import { systemChance, systemClock } from './clock/clock.ts'
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from './http/http-server.ts'
import { CONTENT_SECURITY_POLICY } from './http/security-headers.ts'
import { createFakeTransport, json } from './ingress/transport.fake.ts'
import { openStore, type Store } from './store/open-store.ts'

type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> }

const folder = mkdtempSync(join(tmpdir(), 'relay-app-'))
const transport = createFakeTransport()
const mistakes: unknown[] = []
let store: Store
let auth: Auth
let relay: Relay
let port = 0
let welcome: Welcome

beforeAll(async () => {
  mkdirSync(join(folder, 'web'), { recursive: true })
  writeFileSync(join(folder, 'web', 'index.html'), '<!doctype html><title>app</title>')
  store = openStore(join(folder, 'data'), { clock: systemClock })
  auth = createAuth({ repo: createDoorRepo(store.db), clock: systemClock, chance: systemChance })
  relay = createRelay({ host: ['127.0.0.1'], lan: false, hostNames: ['attic.example'], allowedOrigins: ['https://listed.example'] }, {
    auth, transport, channels: [], clock: systemClock, chance: systemChance, webFolder: join(folder, 'web'), version: '1.2.3', hostName: 'attic', onMistake: (error) => mistakes.push(error),
  })
  port = await relay.listen(0)
})
beforeEach(async () => {
  transport.asked.length = 0
  welcome = await claim()
})
afterAll(async () => {
  await relay.close()
  store.close()
  rmSync(folder, { recursive: true })
})

async function claim(): Promise<Welcome> {
  return (await auth.authenticate({ supports: {}, pairing_code: (await auth.mintCode()).code, device_name: 'Laptop' }, { address: '127.0.0.1', unknownOrigin: null })) as Welcome
}
function ask(method: string, path: string, { headers = {}, body, token }: { headers?: Record<string, string>; body?: string; token?: string | undefined } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { host: `localhost:${port}`, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: sent, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => { text += chunk })
      response.on('end', () => {
        let parsed: Record<string, unknown> = {}
        try {
          parsed = JSON.parse(text)
        } catch {
          parsed = {}
        }
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}
/** Bytes as an attacker sends them, not as a client library tidies them. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (chunk) => { text += chunk })
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 800))])
  socket.destroy()
  return text
}
function upgrade(headers: Record<string, string>, path = '/relay/ws'): Promise<{ status: number; socket: WebSocket | null }> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host: `localhost:${port}`, ...headers } })
    socket.on('open', () => resolve({ status: 101, socket }))
    socket.on('unexpected-response', (_request, response) => resolve({ status: response.statusCode ?? 0, socket: null }))
    socket.on('error', () => resolve({ status: 0, socket: null }))
  })
}
async function authOver(socket: WebSocket, payload: object): Promise<{ type: string; payload: Record<string, unknown> }> {
  socket.send(JSON.stringify({ channel: 'system', type: 'auth', payload: { supports: { protocol: PROTOCOL_VERSION, live: 1 }, ...payload } }))
  const [data] = (await once(socket, 'message')) as [Buffer]
  socket.terminate()
  return JSON.parse(String(data))
}

test('health says what runs and nothing else, under three names', async () => {
  for (const path of ['/relay/health', '/health', '/healthz']) {
    const { status, body } = await ask('GET', path)
    expect([status, body]).toEqual([200, { status: 'ok', version: '1.2.3', protocol: PROTOCOL_VERSION, hermes: { kind: 'dashboard', ready: true, version: '0.19.0' } }])
  }
  expect((await ask('HEAD', '/relay/health')).status).toBe(200)
})

test('every answer, refusals included, carries every security header', async () => {
  for (const [method, path, headers] of [['GET', '/app/', {}], ['GET', '/', {}], ['GET', '/relay/health', {}], ['GET', '/relay/me', {}], ['GET', '/nothing', {}], ['TRACE', '/', {}], ['GET', '/', { host: 'evil' }]] as const) {
    const answer = await ask(method, path, { headers: { ...headers } })
    expect(answer.headers).toMatchObject({
      'content-security-policy': CONTENT_SECURITY_POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin', 'x-frame-options': 'DENY', 'permissions-policy': expect.any(String),
    })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['cross-origin-opener-policy'], path).toBe(method === 'TRACE' || 'host' in headers ? undefined : 'same-origin')
    if (!path.startsWith('/app')) expect(answer.headers['cache-control']).toBe('no-store')
  }
  expect((await ask('GET', '/app/', { headers: { host: `attic.example:${port}` } })).headers['cross-origin-opener-policy'], 'plain http by a name: the browser would only complain').toBeUndefined()
  expect(CONTENT_SECURITY_POLICY).toBe("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self' https: wss: http://localhost:* ws://localhost:*; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types app")
})

test('a share without a service worker opens the page, by a visit only', async () => {
  const share = (headers: Record<string, string>) => ask('POST', '/app/share', { headers: { origin: 'null', 'content-type': 'text/plain', ...headers }, body: 'shared' })
  const visit = await share({ 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' })
  expect([visit.status, visit.headers.location]).toEqual([303, '/app/'])
  expect((await share({ 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' })).body.code).toBe('origin_refused')
  expect((await ask('POST', '/app/share', { body: 'shared' })).body.code).toBe('method_refused')
})

test('the app is under /app/, and a navigation to the IP goes to localhost', async () => {
  expect((await ask('GET', '/')).headers.location).toBe('/app/')
  expect((await ask('GET', '/app/')).text).toContain('<title>app</title>')
  expect((await ask('GET', '/app/chat/x?y=1', { headers: { accept: 'text/html' } })).status).toBe(200)
  for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
    const answer = await ask('GET', '/app/chat?x=1', { headers: { host, 'sec-fetch-mode': 'navigate' } })
    expect([answer.status, answer.headers.location]).toEqual([302, `http://localhost:${port}/app/chat?x=1`])
    expect((await ask('GET', '/app/', { headers: { host, 'sec-fetch-mode': 'cors' } })).status).toBe(200)
    expect((await ask('GET', '/relay/health', { headers: { host, 'sec-fetch-mode': 'navigate' } })).status).toBe(200)
  }
})

test('rebinding, traversal and methods are refused as JSON before any route', async () => {
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost:1', `localhost.evil.example:${port}`]) expect((await ask('GET', '/app/', { headers: { host } })).body.code).toBe('host_refused')
  expect((await ask('GET', '/app/', { headers: { host: 'attic.example' } })).status).toBe(200)
  for (const target of ['/app/../../etc/passwd', '/app/%2e%2e/%2e%2e/etc/passwd', '/app/%252e%252e/x', '/app/..%5c..%5cx', '/app/..\\x', '/app/%00', '//etc/passwd', 'http://evil.example/', '/dashboard/api/sessions/%2e%2e/config']) {
    const text = await raw(`GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
    expect([target, text.split('\r\n', 1)[0]]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 (?:404|400)/)])
    expect(text).not.toContain('root:')
  }
  expect((await ask('TRACE', '/app/')).body.code).toBe('method_refused')
  expect(await raw(`CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)).not.toContain(' 200 ')
  expect((await ask('POST', '/app/', { body: '{}' })).body.code).toBe('method_refused')
  const { deviceId } = welcome.principal
  const override = await ask('POST', `/relay/devices/${deviceId}`, { token: welcome.sessionToken, body: '{"_method":"DELETE"}', headers: { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' } })
  expect(override.status).toBe(404)
  expect(await auth.principal(welcome.principal.credentialId)).toMatchObject({ deviceId })
})

test('headers beyond HEADER_BYTES_MAX and bodies beyond BODY_BYTES_MAX are refused, said or streamed', async () => {
  expect(await raw(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nX: ${'a'.repeat(HEADER_BYTES_MAX)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413/)
  const path = '/dashboard/api/sessions/s1'
  expect((await ask('PATCH', path, { token: welcome.sessionToken, body: '', headers: { 'content-length': String(BODY_BYTES_MAX + 1) } }).catch(() => ({ body: { code: 'cut' } }))).body.code).toMatch(/body_too_large|cut/)
  const streamed = await ask('PATCH', path, { token: welcome.sessionToken, body: `"${'x'.repeat(BODY_BYTES_MAX)}"`, headers: { 'transfer-encoding': 'chunked' } }).catch(() => null)
  expect(streamed === null || streamed.body.code === 'body_too_large').toBe(true)
  expect(transport.asked).toEqual([])
})

test('another website cannot change anything; one that paired or is listed can, without cookies', async () => {
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }] as Record<string, string>[])
    expect((await ask('POST', '/relay/sign-out', { token: welcome.sessionToken, headers })).body.code).toBe('origin_refused')
  const listed = await ask('GET', '/relay/me', { token: welcome.sessionToken, headers: { origin: 'https://listed.example' } })
  expect(listed.headers).toMatchObject({ 'access-control-allow-origin': 'https://listed.example', vary: 'Origin' })
  expect(listed.headers['access-control-allow-credentials']).toBeUndefined()
  expect((await ask('OPTIONS', '/relay/me', { headers: { origin: 'https://listed.example' } })).status).toBe(204)
  const evil = await ask('OPTIONS', '/relay/me', { headers: { origin: 'https://evil.example' } })
  expect([evil.status, evil.headers['access-control-allow-origin']]).toEqual([405, undefined])
  expect((await ask('GET', '/relay/me', { token: welcome.sessionToken, headers: { origin: 'https://evil.example' } })).headers['access-control-allow-origin']).toBeUndefined()
})

test('upgrades: our page and programs pass, a hidden or opaque origin never, an unknown one only with an open code', async () => {
  for (const headers of [{}, { origin: `http://localhost:${port}` }] as Record<string, string>[]) {
    const { status, socket } = await upgrade(headers)
    expect(status).toBe(101)
    socket?.terminate()
  }
  expect((await upgrade({}, '/ws')).status).toBe(101)
  for (const path of ['/', '/relay/wsx', '/dashboard/api/ws']) expect((await upgrade({}, path)).status).toBe(404)
  expect((await upgrade({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await upgrade({ origin: 'null' })).status).toBe(403)
  expect((await upgrade({ host: 'evil.example' })).status).toBe(421)
  expect((await upgrade({ origin: 'https://new.example' })).status).toBe(403)
  const { code } = await auth.mintCode()
  const byToken = await upgrade({ origin: 'https://new.example' })
  expect(await authOver(byToken.socket!, { session_token: welcome.sessionToken })).toMatchObject({ type: 'auth.fail' })
  const byCode = await upgrade({ origin: 'https://new.example' })
  expect(await authOver(byCode.socket!, { pairing_code: code })).toMatchObject({ type: 'auth.ok' })
  expect((await ask('GET', '/relay/me', { headers: { origin: 'https://new.example' } })).headers['access-control-allow-origin']).toBe('https://new.example')
})

test('devices: seen, added by code, revoked, signed out; nothing without a token', async () => {
  for (const [method, path] of [['GET', '/relay/me'], ['GET', '/relay/devices'], ['POST', '/relay/devices/code'], ['DELETE', '/relay/devices/x'], ['POST', '/relay/sign-out'], ['GET', '/dashboard/api/status'], ['GET', '/dashboard/x']] as const) {
    const answer = await ask(method, path)
    expect([method, path, answer.status, answer.body.code, answer.headers['www-authenticate']]).toEqual([method, path, 401, 'auth_required', 'Bearer'])
  }
  const token = welcome.sessionToken
  expect((await ask('GET', '/relay/me', { token })).body).toMatchObject({ device_id: welcome.principal.deviceId, device_name: 'Laptop', grants: { admin: expect.any(Number) } })
  const { code, claim_url: claimUrl } = (await ask('POST', '/relay/devices/code', { token })).body
  expect(claimUrl).toBe(`http://localhost:${port}/app/#claim=${code}`)
  expect((await ask('POST', '/relay/devices/code', { token, headers: { host: 'attic.example', origin: 'https://attic.example' } })).body.claim_url).toMatch(/^https:\/\/attic\.example\/app\/#claim=/)
  const second = (await auth.authenticate({ supports: {}, pairing_code: String(code) }, { address: '127.0.0.1', unknownOrigin: null })) as Welcome
  expect((await ask('GET', '/relay/devices', { token })).body.devices).toEqual(expect.arrayContaining([expect.objectContaining({ device_id: second.principal.deviceId, name: 'Unknown device' })]))
  expect((await ask('DELETE', '/relay/devices/nobody', { token })).body.code).toBe('device_unknown')
  expect((await ask('DELETE', `/relay/devices/${second.principal.deviceId}`, { token })).body).toEqual({ ok: true })
  expect((await ask('GET', '/relay/me', { token: second.sessionToken })).body.code).toBe('session_revoked')
  expect((await ask('POST', '/relay/sign-out', { token })).body).toEqual({ ok: true })
  expect((await ask('GET', '/relay/me', { token })).body.code).toBe('session_revoked')
})

test('a device without admin or manage may look, not do', async () => {
  store.db.prepare("DELETE FROM device_grant WHERE device_id = ? AND name IN ('admin', 'manage')").run(welcome.principal.deviceId)
  const other = await claim()
  const token = welcome.sessionToken
  expect((await ask('POST', '/relay/devices/code', { token })).body).toMatchObject({ code: 'grant_missing', detail: { grant: 'admin' } })
  expect((await ask('DELETE', `/relay/devices/${other.principal.deviceId}`, { token })).body.code).toBe('grant_missing')
  expect((await ask('DELETE', '/dashboard/api/sessions/s1', { token })).body).toMatchObject({ code: 'grant_missing', detail: { grant: 'manage' } })
  expect(transport.asked).toEqual([])
  expect((await ask('DELETE', `/relay/devices/${welcome.principal.deviceId}`, { token })).body).toEqual({ ok: true })
})

test('canary: tokens and codes are in no log, no error, no database file and no backup, also after a crash of ours', async () => {
  const { code } = await auth.mintCode()
  const canary = `canary${systemChance.token(32)}`
  transport.answer = () => { throw new Error(`a mistake that quotes nothing`) }
  const texts: string[] = []
  for (const [method, path] of [['GET', '/relay/me'], ['GET', '/relay/devices'], ['GET', '/dashboard/api/status'], ['GET', '/dashboard/api/sessions'], ['PUT', '/dashboard/api/config'], ['GET', `/app/${canary}`], ['GET', '/nothing'], ['POST', '/relay/sign-out']] as const)
    for (const token of [welcome.sessionToken, canary]) texts.push((await ask(method, path, { token, ...(method === 'PUT' && { body: `{"config":{"approvals":{"mode":"${canary}"}}}` }) })).text)
  const { socket } = await upgrade({})
  texts.push(JSON.stringify(await authOver(socket!, { pairing_code: code.slice(0, 5), session_token: canary, refresh_token: canary })))
  transport.answer = () => json({})
  expect(mistakes.length).toBeGreaterThan(0)
  await store.backup(join(folder, 'data', 'copy.db'))
  const files = readdirSync(join(folder, 'data')).map((name) => readFileSync(join(folder, 'data', name), 'latin1'))
  const everything = [...texts, ...files, ...mistakes.map((error) => `${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`)].join('\n')
  for (const secret of [welcome.sessionToken, welcome.refreshToken!, canary]) expect(everything).not.toContain(secret)
  expect(files.join('\n')).not.toContain(code)
})

test('with --lan the addresses of this machine are names of the relay, and only then', async () => {
  const build = (lan: boolean) => createRelay({ host: ['127.0.0.1'], lan, hostNames: [], allowedOrigins: [] }, {
    auth, transport, channels: [], clock: systemClock, chance: systemChance, webFolder: join(folder, 'web'), version: '1', hostName: 'attic', onMistake: (error) => mistakes.push(error),
  })
  const address = Object.values(networkInterfaces()).flat().find((entry) => entry && !entry.internal && entry.family === 'IPv4')?.address
  for (const lan of [true, false]) {
    const other = build(lan)
    const otherPort = await other.listen(0)
    const statusOf = (host: string) => new Promise((resolve) => httpRequest({ host: '127.0.0.1', port: otherPort, path: '/relay/health', headers: { host } }, (response) => { response.resume(); resolve(response.statusCode) }).end())
    expect(await statusOf(`192.0.2.9:${otherPort}`)).toBe(421)
    if (address !== undefined) expect(await statusOf(`${address}:${otherPort}`)).toBe(lan ? 200 : 421)
    expect(other.lanOrigin()).toBe(lan && address !== undefined ? `http://${address}:${otherPort}` : null)
    expect(other.claimUrl('ABC123', 'here')).toBe(`http://localhost:${otherPort}/app/#claim=ABC123`)
    await other.close()
  }
})
