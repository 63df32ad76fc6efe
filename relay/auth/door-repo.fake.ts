/** Devices, tokens and codes in memory, for tests that need no disk; keeps the same suite as the real one. */
import { CODES_OPEN_MAX, type CredentialRow, DEVICES_MAX, type DeviceRow, type DoorRepo, type Found, type NewCredential, SESSIONS_PER_DEVICE_MAX } from './door-repo.ts'

type Credential = CredentialRow & { tokenHash: string; previousHash: string | null }
type Code = { issuedAtMs: number; expiresAtMs: number; usedAtMs: number | null }

export function createFakeDoorRepo(): DoorRepo {
  const codes = new Map<string, Code>()
  const devices = new Map<string, DeviceRow>()
  const grants = new Map<string, Readonly<Record<string, number>>>()
  const credentials = new Map<string, Credential>()
  const origins: { origin: string; deviceId: string }[] = []

  const found = (credential: Credential, isPrevious: boolean): Found => {
    const { tokenHash: _, previousHash: __, ...row } = credential
    return { credential: row, device: { ...devices.get(row.deviceId)! }, grants: grants.get(row.deviceId) ?? {}, isPrevious }
  }
  const add = (deviceId: string, kind: 'session' | 'refresh', fresh: NewCredential) => {
    credentials.set(fresh.credentialId, { ...fresh, deviceId, kind, rotatedAtMs: null, previousHash: null })
    const sessions = [...credentials.values()].filter((row) => row.deviceId === deviceId && row.kind === 'session')
    for (const old of sessions.slice(0, Math.max(0, sessions.length - SESSIONS_PER_DEVICE_MAX))) credentials.delete(old.credentialId)
  }
  const drop = (deviceId: string): string => {
    devices.delete(deviceId)
    grants.delete(deviceId)
    for (const row of [...credentials.values()]) if (row.deviceId === deviceId) credentials.delete(row.credentialId)
    return deviceId
  }
  const crowded = (): DeviceRow[] => [...devices.values()]
    .sort((a, b) => Number(b.revokedAtMs !== null) - Number(a.revokedAtMs !== null) || a.seenAtMs - b.seenAtMs).slice(0, Math.max(0, devices.size - (DEVICES_MAX - 1)))

  return {
    async putCode({ codeHash, issuedAtMs, expiresAtMs }) {
      codes.set(codeHash, { issuedAtMs, expiresAtMs, usedAtMs: null })
      const open = [...codes].filter(([, code]) => code.usedAtMs === null)
      for (const [hash] of open.slice(0, Math.max(0, open.length - CODES_OPEN_MAX))) codes.delete(hash)
    },
    async codeState(codeHash, nowMs) {
      const code = codes.get(codeHash)
      if (!code) return 'unknown'
      if (code.usedAtMs !== null) return 'used'
      return code.expiresAtMs > nowMs ? 'open' : 'expired'
    },
    hasOpenCode: async (nowMs) => [...codes.values()].some((code) => code.usedAtMs === null && code.expiresAtMs > nowMs),
    async withdrawCodes(nowMs) {
      for (const code of codes.values()) if (code.usedAtMs === null) code.expiresAtMs = Math.min(code.expiresAtMs, nowMs)
    },
    async claim({ codeHash, nowMs, device, grants: granted, session, refresh, origin }) {
      const code = codes.get(codeHash)
      if (!code || code.usedAtMs !== null || code.expiresAtMs <= nowMs) return null
      code.usedAtMs = nowMs
      const same = [...devices.values()].filter((row) => device.clientId !== null && row.clientId === device.clientId)
      const replacedDeviceIds = same.map((row) => drop(row.deviceId))
      replacedDeviceIds.push(...crowded().map((row) => drop(row.deviceId)))
      devices.set(device.deviceId, { ...device, createdAtMs: nowMs, seenAtMs: nowMs, revokedAtMs: null })
      grants.set(device.deviceId, { ...granted })
      add(device.deviceId, 'session', session)
      add(device.deviceId, 'refresh', refresh)
      if (origin !== null) origins.push({ origin, deviceId: device.deviceId })
      return { replacedDeviceIds }
    },
    async find(kind, tokenHash) {
      const rows = [...credentials.values()].filter((row) => row.kind === kind)
      const current = rows.find((row) => row.tokenHash === tokenHash)
      if (current) return found(current, false)
      const previous = rows.find((row) => kind === 'refresh' && row.previousHash === tokenHash)
      return previous ? found(previous, true) : null
    },
    async findById(credentialId) {
      const row = credentials.get(credentialId)
      return row ? found(row, false) : null
    },
    async rotate({ credentialId, tokenHash, tokenPrefix, nowMs, keepPrevious, session, grantsUntilMs }) {
      const row = credentials.get(credentialId)!
      if (!keepPrevious) Object.assign(row, { previousHash: row.tokenHash, rotatedAtMs: nowMs })
      Object.assign(row, { tokenHash, tokenPrefix })
      grants.set(row.deviceId, Object.fromEntries(Object.entries(grants.get(row.deviceId) ?? {}).map(([name, atMs]) => [name, Math.max(atMs, grantsUntilMs)])))
      add(row.deviceId, 'session', session)
    },
    addRefresh: async (deviceId, refresh) => add(deviceId, 'refresh', refresh),
    hasRefresh: async (deviceId, nowMs) => [...credentials.values()].some((row) => row.deviceId === deviceId && row.kind === 'refresh' && row.expiresAtMs > nowMs),
    async touch(deviceId, facts, nowMs) {
      const device = devices.get(deviceId)
      if (device) Object.assign(device, Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)), { seenAtMs: nowMs })
    },
    devices: async () => [...devices.values()].filter((row) => row.revokedAtMs === null).sort((a, b) => b.seenAtMs - a.seenAtMs || (a.deviceId < b.deviceId ? -1 : 1))
      .map((device) => ({ device: { ...device }, grants: grants.get(device.deviceId) ?? {} })),
    async revoke(deviceId, nowMs) {
      const device = devices.get(deviceId)
      if (!device || device.revokedAtMs !== null) return false
      device.revokedAtMs = nowMs
      return true
    },
    origins: async () => [...new Set(origins.filter((row) => devices.get(row.deviceId)?.revokedAtMs === null).map((row) => row.origin))].sort(),
  }
}
