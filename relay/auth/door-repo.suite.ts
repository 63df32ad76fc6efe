/** What every DoorRepo promises. */
import { expect, test } from 'vitest'
import { CODES_OPEN_MAX, DEVICES_MAX, type DeviceRow, type DoorRepo, type NewCredential, SESSIONS_PER_DEVICE_MAX } from './door-repo.ts'

const device = (deviceId: string, clientId: string | null = null): DeviceRow =>
  ({ deviceId, clientId, name: `name of ${deviceId}`, model: null, platform: 'Linux', surface: null, formFactor: null, createdAtMs: 0, seenAtMs: 0, revokedAtMs: null })
const fresh = (name: string, issuedAtMs = 0): NewCredential => ({ credentialId: `id-${name}`, tokenHash: `hash-${name}`, tokenPrefix: name.slice(0, 8), issuedAtMs, expiresAtMs: issuedAtMs + 1_000 })

async function claim(repo: DoorRepo, deviceId: string, { clientId = null, nowMs = 0, origin = null }: { clientId?: string | null; nowMs?: number; origin?: string | null } = {}) {
  await repo.putCode({ codeHash: `code-${deviceId}`, issuedAtMs: nowMs, expiresAtMs: nowMs + 600 })
  return repo.claim({ codeHash: `code-${deviceId}`, nowMs, device: device(deviceId, clientId), grants: { chat: nowMs + 900 }, session: fresh(`s-${deviceId}`, nowMs), refresh: fresh(`r-${deviceId}`, nowMs), origin })
}

export function doorRepoSuite(name: string, create: () => DoorRepo): void {
  test(`${name}: a code is open, then expired or used, never both, and unknown to those who guess`, async () => {
    const repo = create()
    expect(await repo.hasOpenCode(0)).toBe(false)
    await repo.putCode({ codeHash: 'a', issuedAtMs: 0, expiresAtMs: 600 })
    expect([await repo.codeState('a', 599), await repo.codeState('a', 600), await repo.codeState('b', 0)]).toEqual(['open', 'expired', 'unknown'])
    expect([await repo.hasOpenCode(599), await repo.hasOpenCode(600)]).toEqual([true, false])
    expect(await claim(repo, 'd1')).toEqual({ replacedDeviceIds: [] })
    expect(await repo.codeState('code-d1', 1)).toBe('used')
  })

  test(`${name}: withdrawn codes are expired, a used one stays used, a later one is open`, async () => {
    const repo = create()
    await claim(repo, 'd1')
    for (const codeHash of ['a', 'b']) await repo.putCode({ codeHash, issuedAtMs: 0, expiresAtMs: 600 })
    await repo.withdrawCodes(5)
    expect([await repo.codeState('a', 5), await repo.codeState('b', 5), await repo.codeState('code-d1', 5), await repo.hasOpenCode(5)]).toEqual(['expired', 'expired', 'used', false])
    await repo.putCode({ codeHash: 'c', issuedAtMs: 6, expiresAtMs: 606 })
    expect(await repo.codeState('c', 6)).toBe('open')
  })

  test(`${name}: of two that claim with one code, one gets in`, async () => {
    const repo = create()
    await repo.putCode({ codeHash: 'c', issuedAtMs: 0, expiresAtMs: 600 })
    const one = (n: number) => repo.claim({ codeHash: 'c', nowMs: 1, device: device(`d${n}`), grants: {}, session: fresh(`s${n}`), refresh: fresh(`r${n}`), origin: null })
    expect((await Promise.all([one(1), one(2)])).filter(Boolean)).toHaveLength(1)
    expect(await repo.devices()).toHaveLength(1)
  })

  test(`${name}: tokens are found by kind and hash, with device and grants`, async () => {
    const repo = create()
    await claim(repo, 'd1')
    const session = await repo.find('session', 'hash-s-d1')
    expect(session).toMatchObject({ credential: { credentialId: 'id-s-d1', deviceId: 'd1', kind: 'session' }, device: { name: 'name of d1', platform: 'Linux' }, grants: { chat: 900 }, isPrevious: false })
    expect(await repo.find('refresh', 'hash-s-d1')).toBeNull()
    expect(await repo.findById('id-s-d1')).toEqual(session)
  })

  test(`${name}: a rotation keeps the hash before as previous, a second one from it does not extend the grace`, async () => {
    const repo = create()
    await claim(repo, 'd1')
    await repo.rotate({ credentialId: 'id-r-d1', tokenHash: 'R1', tokenPrefix: 'R1', nowMs: 5, keepPrevious: false, session: fresh('s2', 5), grantsUntilMs: 5_000 })
    expect(await repo.find('refresh', 'hash-r-d1')).toMatchObject({ isPrevious: true, credential: { rotatedAtMs: 5 } })
    await repo.rotate({ credentialId: 'id-r-d1', tokenHash: 'R2', tokenPrefix: 'R2', nowMs: 9, keepPrevious: true, session: fresh('s3', 9), grantsUntilMs: 0 })
    expect(await repo.find('refresh', 'hash-r-d1')).toMatchObject({ isPrevious: true, credential: { rotatedAtMs: 5 } })
    expect(await repo.find('refresh', 'R1')).toBeNull()
    expect(await repo.find('refresh', 'R2')).toMatchObject({ isPrevious: false })
    expect(await repo.find('session', 'hash-s3')).toMatchObject({ grants: { chat: 5_000 } })
  })

  test(`${name}: pairing again replaces the rows of the same install, and only those`, async () => {
    const repo = create()
    await claim(repo, 'old', { clientId: 'install' })
    await claim(repo, 'other')
    expect(await claim(repo, 'new', { clientId: 'install', nowMs: 10 })).toEqual({ replacedDeviceIds: ['old'] })
    expect(await repo.find('session', 'hash-s-old')).toBeNull()
    expect((await repo.devices()).map((row) => row.device.deviceId)).toEqual(['new', 'other'])
  })

  test(`${name}: revoking says true once, hides the device, forgets its origin, still knows its tokens`, async () => {
    const repo = create()
    await claim(repo, 'd1', { origin: 'https://app.example' })
    expect(await repo.origins()).toEqual(['https://app.example'])
    expect([await repo.revoke('d1', 7), await repo.revoke('d1', 8), await repo.revoke('nobody', 8)]).toEqual([true, false, false])
    expect(await repo.devices()).toEqual([])
    expect(await repo.origins()).toEqual([])
    expect(await repo.find('session', 'hash-s-d1')).toMatchObject({ device: { revokedAtMs: 7 } })
  })

  test(`${name}: touching changes only what is given`, async () => {
    const repo = create()
    await claim(repo, 'd1')
    await repo.touch('d1', { name: 'Kitchen tablet' }, 50)
    expect((await repo.devices())[0]?.device).toMatchObject({ name: 'Kitchen tablet', platform: 'Linux', seenAtMs: 50 })
  })

  test(`${name}: a refresh token can be added and is known while it lives`, async () => {
    const repo = create()
    await claim(repo, 'd1')
    expect([await repo.hasRefresh('d1', 999), await repo.hasRefresh('d1', 1_000), await repo.hasRefresh('d2', 0)]).toEqual([true, false, false])
    await repo.addRefresh('d1', fresh('later', 5_000))
    expect(await repo.hasRefresh('d1', 5_001)).toBe(true)
  })

  test(`${name}: SESSIONS_PER_DEVICE_MAX, CODES_OPEN_MAX and DEVICES_MAX: the oldest makes room`, async () => {
    const repo = create()
    await claim(repo, 'd0')
    for (let n = 1; n <= SESSIONS_PER_DEVICE_MAX; n++) await repo.rotate({ credentialId: 'id-r-d0', tokenHash: `R${n}`, tokenPrefix: 'R', nowMs: n, keepPrevious: false, session: fresh(`n${n}`, n), grantsUntilMs: 0 })
    expect(await repo.find('session', 'hash-s-d0')).toBeNull()
    expect(await repo.find('session', 'hash-n1')).not.toBeNull()
    for (let n = 0; n <= CODES_OPEN_MAX; n++) await repo.putCode({ codeHash: `k${n}`, issuedAtMs: n, expiresAtMs: 9_999 })
    expect([await repo.codeState('k0', 100), await repo.codeState('k1', 100)]).toEqual(['unknown', 'open'])
    for (let n = 1; n < DEVICES_MAX; n++) await claim(repo, `d${n}`, { nowMs: n })
    await repo.revoke('d77', 400)
    expect(await claim(repo, 'one-more', { nowMs: 500 })).toEqual({ replacedDeviceIds: ['d77'] })
    expect(await claim(repo, 'and-another', { nowMs: 501 })).toEqual({ replacedDeviceIds: ['d0'] })
    expect(await repo.devices()).toHaveLength(DEVICES_MAX)
  })
}
