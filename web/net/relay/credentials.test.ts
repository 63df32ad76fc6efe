import { expect, test } from 'vitest'
import type { AuthOk } from '#protocol/system/system-frame.ts'
import { createMemoryKeyedStore } from '#web/storage/memory-keyed-store.ts'
import type { DeviceRecord } from '#web/storage/page-storage.ts'
import { createCredentials } from './credentials.ts'
import { createRelayHttp } from './relay-http.ts'

const auth = (n: number): AuthOk => ({
  session_token: `session-${n}`, refresh_token: `refresh-${n}`, server_version: '1', protocol: 1, expires_at: 1, grants: { chat: null }, device_id: 'd', device_name: 'n', host_name: 'h',
  hermes: { kind: 'embedded', ready: true, version: null, demo: true }, profiles: [],
})
const devices = () => createMemoryKeyedStore<DeviceRecord>({ parse: (raw) => raw as DeviceRecord, keepMax: null })

test('many callers rotate once', async () => {
  let rotations = 0
  const credentials = createCredentials('http://relay', devices(), async () => { rotations += 1; return { kind: 'ok', auth: auth(2) } })
  await credentials.keep(auth(1))
  const all = await Promise.all([1, 2, 3].map(() => credentials.rotate('session-1')))
  expect(rotations).toBe(1)
  expect(all.every((one) => typeof one === 'object' && 'sessionToken' in one && one.sessionToken === 'session-2')).toBe(true)
  await credentials.rotate('session-1') // A late caller finds the fresh one.
  expect(rotations).toBe(1)
})

test('what the relay last said of itself is known at the next start, also when another agent came since', async () => {
  const kept = devices()
  const first = createCredentials('http://relay', kept)
  await first.keep(auth(1))
  const second = createCredentials('http://relay', kept)
  expect(second.known()).toBeNull()
  await second.read()
  expect(second.known()).toMatchObject({ hostName: 'h', hermes: { demo: true } })
  // Tokens that another tab renews at the same time stay.
  const other = { kind: 'dashboard', ready: true, version: '2', demo: false } as const
  await Promise.all([second.keep(auth(2)), first.learn(other)])
  await first.learn(other)
  const third = createCredentials('http://relay', kept)
  expect(await third.read()).toMatchObject({ sessionToken: 'session-2', hermes: { kind: 'dashboard', demo: false } })
  await third.forget()
  expect(third.known()).toBeNull()
})

test('a request that was refused as stale is repeated once with the fresh token', async () => {
  const credentials = createCredentials('http://relay', devices(), async () => ({ kind: 'ok', auth: auth(2) }))
  await credentials.keep(auth(1))
  const seen: string[] = []
  const call = createRelayHttp('http://relay', credentials, async (_url, init) => {
    const bearer = new Headers(init?.headers).get('authorization') ?? ''
    seen.push(bearer)
    return bearer === 'Bearer session-2' ? Response.json({ fine: true }) : Response.json({ code: 'auth_required', say: 's', next: 'n' }, { status: 401 })
  })
  expect(await call('/relay/devices')).toEqual({ ok: true, body: { fine: true } })
  expect(seen).toEqual(['Bearer session-1', 'Bearer session-2'])
})
