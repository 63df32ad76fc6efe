/** The door, without network: claims, tokens, rotation, revocation, limits, and that nothing stored contains a secret. */
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { type AuthPayload, GRANTS } from '#protocol/system/system-frame.ts'
import { type Chance, systemChance } from '#relay/clock/clock.ts'
import { createSteppedClock } from '#relay/clock/stepped-clock.fake.ts'
import { migrate } from '#relay/store/migrate.ts'
import { type Auth, CODE_LIFE_MS, createAuth, isGranted, REFRESH_GRACE_MS, REFRESH_LIFE_MS, SESSION_LIFE_MS, type Welcome } from './auth.ts'
import { createFakeDoorRepo } from './door-repo.fake.ts'
import { createDoorRepo } from './door-repo.ts'
import { BLOCK_MS, FAILED_CODES_MAX, FAILURES_MAX } from './rate-limit.ts'
import { CODE_CHARS, drawCode, parseCode, parseToken, TOKEN_BYTES } from './secrets.ts'

const peer = { address: '127.0.0.1', unknownOrigin: null }
const supports = {}
const clientId = '0f3c4a52-5a60-4c4e-9a39-0b7f2d9e7b11'

function door(repo = createFakeDoorRepo(), chance: Chance = systemChance) {
  const clock = createSteppedClock()
  const revoked: string[] = []
  const auth = createAuth({ repo, clock, chance })
  auth.onRevoked((deviceId) => revoked.push(deviceId))
  const say = (payload: Partial<AuthPayload>, from: { address: string; unknownOrigin: string | null } = peer) => auth.authenticate({ supports, ...payload }, from)
  return { auth, clock, revoked, say }
}
async function claimed(auth: Auth, payload: Partial<AuthPayload> = {}): Promise<Welcome> {
  const { code } = await auth.mintCode()
  const outcome = await auth.authenticate({ supports, pairing_code: code, device_id: clientId, device_name: 'Laptop', ...payload }, peer)
  if (outcome.kind !== 'welcome') throw new Error(outcome.code)
  return outcome
}

test('the first claim gets every grant for 30 days and 256-bit tokens', async () => {
  const { auth, clock } = door()
  const { principal, sessionToken, refreshToken } = await claimed(auth)
  expect(Object.keys(principal.grants).sort()).toEqual([...GRANTS].sort())
  for (const grant of GRANTS) expect(principal.grants[grant]).toBe(clock.nowMs + SESSION_LIFE_MS)
  expect(Buffer.from(sessionToken, 'base64url')).toHaveLength(TOKEN_BYTES)
  expect(Buffer.from(refreshToken ?? '', 'base64url')).toHaveLength(TOKEN_BYTES)
  expect([isGranted(principal, 'chat', clock.nowMs), isGranted(principal, 'chat', clock.nowMs + SESSION_LIFE_MS)]).toEqual([true, false])
})

test('codes: six of A-Z0-9, trimmed, in any case, once, for ten minutes', async () => {
  const { auth, clock, say } = door()
  const drawn = Array.from({ length: 2_000 }, drawCode)
  expect(new Set(drawn.join(''))).toHaveLength(36)
  for (const code of drawn) expect(code).toHaveLength(CODE_CHARS)
  expect([parseCode(' ab12cd\n'), parseCode('ab12c'), parseCode('ab12cdé'), parseCode("' OR 1")]).toEqual(['AB12CD', null, null, null])
  const { code } = await auth.mintCode()
  expect(await say({ pairing_code: ` ${code.toLowerCase()} ` })).toMatchObject({ kind: 'welcome' })
  expect(await say({ pairing_code: code })).toEqual({ kind: 'refused', code: 'code_used' })
  const late = await auth.mintCode()
  clock.nowMs += CODE_LIFE_MS
  expect(await say({ pairing_code: late.code })).toEqual({ kind: 'refused', code: 'code_expired' })
  expect(await say({ pairing_code: 'ZZZZZZ' })).toEqual({ kind: 'refused', code: 'code_unknown' })
  expect(await say({})).toEqual({ kind: 'refused', code: 'auth_required' })
})

test('a valid session token wins, comes back unchanged, and the code beside it is not consumed', async () => {
  const { auth, say } = door()
  const first = await claimed(auth)
  const { code } = await auth.mintCode()
  const again = await say({ session_token: first.sessionToken, refresh_token: first.refreshToken!, pairing_code: code })
  expect(again).toMatchObject({ kind: 'welcome', sessionToken: first.sessionToken, refreshToken: null })
  expect(await auth.hasOpenCode()).toBe(true)
})

test('a session has a fixed life; the refresh token then brings a new one and rotates', async () => {
  const { auth, clock, say } = door()
  const first = await claimed(auth)
  clock.nowMs += SESSION_LIFE_MS
  expect(await say({ session_token: first.sessionToken })).toEqual({ kind: 'refused', code: 'auth_required' })
  expect(await auth.principal(first.principal.credentialId)).toEqual({ kind: 'refused', code: 'auth_required' })
  const second = await say({ session_token: first.sessionToken, refresh_token: first.refreshToken!, device_id: clientId }) as Welcome
  expect(second.kind).toBe('welcome')
  expect(second.refreshToken).not.toBe(first.refreshToken)
  expect(second.principal.deviceId).toBe(first.principal.deviceId)
  expect(isGranted(second.principal, 'chat', clock.nowMs)).toBe(true) // Grants live as long as the session that holds them.
  expect(await auth.principal(second.principal.credentialId)).toEqual(second.principal)
  expect(await auth.bearer(`bearer ${second.sessionToken}`, '127.0.0.1')).toMatchObject({ deviceId: first.principal.deviceId })
})

test('a lost answer: the token before the rotation works for 60 s more, for the same device, and never longer', async () => {
  const { auth, clock, say } = door()
  const first = await claimed(auth)
  const use = (device_id: string | undefined) => say({ refresh_token: first.refreshToken!, ...(device_id !== undefined && { device_id }) })
  expect(await use('another-install')).toEqual({ kind: 'refused', code: 'auth_required' })
  expect(await use(clientId)).toMatchObject({ kind: 'welcome' })
  clock.nowMs += REFRESH_GRACE_MS - 1
  expect(await use('another-install')).toEqual({ kind: 'refused', code: 'auth_required' })
  expect(await use(first.principal.deviceId)).toMatchObject({ kind: 'welcome' })
  clock.nowMs += 1
  expect(await use(clientId)).toEqual({ kind: 'refused', code: 'auth_required' })
})

test('a refresh token ends after 180 days', async () => {
  const { auth, clock, say } = door()
  const first = await claimed(auth)
  clock.nowMs += REFRESH_LIFE_MS
  expect(await say({ refresh_token: first.refreshToken!, device_id: clientId })).toEqual({ kind: 'refused', code: 'auth_required' })
})

test('a full disk refuses no valid session; a refresh token that cannot be rotated is refused and stays good', async () => {
  const repo = createFakeDoorRepo()
  const { auth, clock, say } = door(repo)
  const first = await claimed(auth)
  const full = () => Promise.reject(new Refused('store_full'))
  const { rotate } = repo
  Object.assign(repo, { touch: full, addRefresh: full, hasRefresh: async () => false, rotate: full })
  expect(await say({ session_token: first.sessionToken })).toMatchObject({ kind: 'welcome', sessionToken: first.sessionToken, refreshToken: null })
  clock.nowMs += SESSION_LIFE_MS
  await expect(say({ refresh_token: first.refreshToken!, device_id: clientId })).rejects.toMatchObject({ code: 'store_full' })
  Object.assign(repo, { touch: async () => {}, rotate })
  expect(await say({ refresh_token: first.refreshToken!, device_id: clientId })).toMatchObject({ kind: 'welcome' })
})

test('revoking ends the device at once and says so; its sockets are named once', async () => {
  const { auth, revoked, say } = door()
  const { principal, sessionToken, refreshToken } = await claimed(auth)
  expect([await auth.revoke(principal.deviceId), await auth.revoke(principal.deviceId)]).toEqual([true, false])
  expect(revoked).toEqual([principal.deviceId])
  expect(await auth.principal(principal.credentialId)).toEqual({ kind: 'refused', code: 'session_revoked' })
  expect(await auth.bearer(`Bearer ${sessionToken}`, 'x')).toEqual({ kind: 'refused', code: 'session_revoked' })
  expect(await say({ session_token: sessionToken, refresh_token: refreshToken!, device_id: clientId })).toEqual({ kind: 'refused', code: 'session_revoked' })
  expect(await auth.devices()).toEqual([])
})

test('pairing again replaces the device and closes its sockets; placeholder ids never own anything', async () => {
  const { auth, revoked } = door()
  const first = await claimed(auth)
  const second = await claimed(auth)
  expect(revoked).toEqual([first.principal.deviceId])
  for (const placeholder of ['unknown', 'NULL', ' none ', '']) await claimed(auth, { device_id: placeholder })
  expect(revoked).toHaveLength(1)
  expect((await auth.devices()).map((device) => device.device_id)).toContain(second.principal.deviceId)
  expect(await auth.devices()).toHaveLength(5)
})

test('an unknown website gets in with a code only, and is known afterwards', async () => {
  const { auth, say } = door()
  const { sessionToken, refreshToken } = await claimed(auth)
  const foreign = { address: '10.0.0.2', unknownOrigin: 'https://evil.example' }
  expect(await say({ session_token: sessionToken, refresh_token: refreshToken!, device_id: clientId }, foreign)).toEqual({ kind: 'refused', code: 'auth_required' })
  expect(await auth.pairedOrigins()).toEqual([])
  const { code } = await auth.mintCode()
  expect(await say({ pairing_code: code }, { address: '10.0.0.2', unknownOrigin: 'https://app.example' })).toMatchObject({ kind: 'welcome' })
  expect(await auth.pairedOrigins()).toEqual(['https://app.example'])
})

test('a stale tab blocks its own token, never the owner; a fresh code passes a block and lifts it', async () => {
  const { auth, clock, say } = door()
  const owner = await claimed(auth)
  const stale = 'stale-token-stale-token'
  for (let n = 0; n < FAILURES_MAX.session; n++) await say({ session_token: stale })
  expect(await say({ session_token: stale })).toEqual({ kind: 'refused', code: 'rate_limited' })
  expect(await say({ session_token: owner.sessionToken })).toMatchObject({ kind: 'welcome' })
  const { code } = await auth.mintCode()
  for (let n = 0; n <= FAILURES_MAX.code; n++) await say({ pairing_code: 'WRONG1' })
  expect(await say({ pairing_code: 'WRONG1' })).toEqual({ kind: 'refused', code: 'rate_limited' })
  expect(await say({ pairing_code: code })).toMatchObject({ kind: 'welcome' })
  for (let n = 0; n < FAILURES_MAX.session; n++) await say({ session_token: stale })
  expect(await say({ session_token: stale })).toEqual({ kind: 'refused', code: 'rate_limited' })
  await auth.mintCode()
  expect(await say({ session_token: stale })).toEqual({ kind: 'refused', code: 'auth_required' })
  for (let n = 0; n < FAILURES_MAX.session; n++) await auth.bearer(`Bearer ${stale}`, '127.0.0.1')
  expect(await auth.bearer(`Bearer ${stale}`, '127.0.0.1')).toEqual({ kind: 'refused', code: 'rate_limited' })
  clock.nowMs += BLOCK_MS.session
  expect(await auth.bearer(`Bearer ${stale}`, '127.0.0.1')).toEqual({ kind: 'refused', code: 'auth_required' })
})

test('FAILED_CODES_MAX guesses from many addresses withdraw the open codes; a fresh one passes, also from a blocked address, and starts a new count', async () => {
  const { auth, say } = door()
  const guess = (n: number) => say({ pairing_code: `GUES${n % 90 + 10}` }, { address: `10.0.0.${n % 250}`, unknownOrigin: null })
  for (let n = 0; n < FAILED_CODES_MAX; n++) await guess(n) // No code is open: nothing to guess.
  const used = await auth.mintCode()
  await say({ pairing_code: used.code })
  const { code } = await auth.mintCode()
  for (let n = 0; n < FAILED_CODES_MAX; n++) await say({ pairing_code: n % 2 ? used.code : 'not a code' }) // No guesses.
  for (let n = 1; n < FAILED_CODES_MAX; n++) await guess(n)
  expect(await auth.hasOpenCode()).toBe(true)
  await guess(0)
  expect(await auth.hasOpenCode()).toBe(false)
  expect(await say({ pairing_code: code }, { address: '10.9.9.9', unknownOrigin: null })).toEqual({ kind: 'refused', code: 'code_expired' })
  const fresh = await auth.mintCode()
  for (let n = 1; n < FAILED_CODES_MAX; n++) await say({ pairing_code: 'GUESS9' })
  expect(await say({ pairing_code: '??' })).toEqual({ kind: 'refused', code: 'rate_limited' })
  expect(await say({ pairing_code: fresh.code })).toMatchObject({ kind: 'welcome' })
})

test('a bearer is one line of visible characters', async () => {
  const { auth } = door()
  const { sessionToken } = await claimed(auth)
  expect([parseToken(` ${sessionToken}\t`), parseToken('ab\ncdefgh'), parseToken('kurzé-und-gut'), parseToken('short')]).toEqual([sessionToken, null, null, null])
  for (const header of [undefined, '', 'Basic abc', `Bearer  `, `Bearer ${sessionToken}\nX: y`, sessionToken]) expect(await auth.bearer(header, 'x')).toMatchObject({ kind: 'refused' })
  expect(await auth.bearer(`BEARER ${sessionToken}`, 'x')).toMatchObject({ credentialId: expect.any(String) })
})

test('canary: no token and no code is in the database, whatever happened', async () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const issued: string[] = []
  const { auth, clock, say } = door(createDoorRepo(db), { ...systemChance, token: (bytes) => issued[issued.push(systemChance.token(bytes)) - 1]! })
  const { code } = await auth.mintCode()
  await say({ pairing_code: code, device_id: clientId })
  await say({ refresh_token: issued[1]!, device_id: clientId })
  await say({ refresh_token: issued[1]!, device_id: clientId })
  await say({ pairing_code: code, session_token: 'canary-wrong-token-0000' })
  clock.nowMs += 1
  const dump = ['device', 'device_grant', 'credential', 'claim_code', 'paired_origin', 'setting'].map((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all())).join()
  expect(issued.length).toBeGreaterThanOrEqual(6)
  for (const secret of [...issued, code, 'canary-wrong-token-0000']) expect(dump).not.toContain(secret)
})
