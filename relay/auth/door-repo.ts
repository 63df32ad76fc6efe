/**
 * Where devices, tokens and codes are kept: an async interface (its next implementation is a server), the only file that knows these
 * tables. Every method is one transaction; nobody sees a code consumed without its device, or a token rotated without its heir.
 */
import { type Database, inTransaction, storeRefusal } from '#relay/store/database.ts'

/** Devices beyond this make room: revoked ones first, then the one unseen for longest. */
export const DEVICES_MAX = 256
/** Live session tokens of one device; the oldest makes room. */
export const SESSIONS_PER_DEVICE_MAX = 8
/** Unused codes at one time; the oldest makes room. */
export const CODES_OPEN_MAX = 16

export type DeviceFacts = { name: string; model: string | null; platform: string | null; surface: string | null; formFactor: string | null }
export type DeviceRow = DeviceFacts & { deviceId: string; clientId: string | null; createdAtMs: number; seenAtMs: number; revokedAtMs: number | null }
export type CredentialRow = {
  credentialId: string; deviceId: string; kind: 'session' | 'refresh'; tokenPrefix: string
  rotatedAtMs: number | null; issuedAtMs: number; expiresAtMs: number
}
export type NewCredential = { credentialId: string; tokenHash: string; tokenPrefix: string; issuedAtMs: number; expiresAtMs: number }
export type Found = { credential: CredentialRow; device: DeviceRow; grants: Readonly<Record<string, number>>; isPrevious: boolean }

export interface DoorRepo {
  putCode(code: { codeHash: string; issuedAtMs: number; expiresAtMs: number }): Promise<void>
  codeState(codeHash: string, nowMs: number): Promise<'open' | 'used' | 'expired' | 'unknown'>
  hasOpenCode(nowMs: number): Promise<boolean>
  /** Every open code is expired from now on. */
  withdrawCodes(nowMs: number): Promise<void>
  /** Consumes the code and makes the device in one step; `null` when the code was not open (somebody was faster). */
  claim(claim: {
    codeHash: string; nowMs: number; device: DeviceRow; grants: Readonly<Record<string, number>>; session: NewCredential; refresh: NewCredential; origin: string | null
  }): Promise<{ replacedDeviceIds: string[] } | null>
  /** By hash; a refresh token is also found by the hash before its last rotation (`isPrevious`). Revoked devices are found too. */
  find(kind: 'session' | 'refresh', tokenHash: string): Promise<Found | null>
  findById(credentialId: string): Promise<Found | null>
  /** Replaces the refresh token's hash, adds a session, renews the grants that the device has. `keepPrevious`: the presented token stays the previous one, its grace not extended. */
  rotate(rotation: { credentialId: string; tokenHash: string; tokenPrefix: string; nowMs: number; keepPrevious: boolean; session: NewCredential; grantsUntilMs: number }): Promise<void>
  addRefresh(deviceId: string, refresh: NewCredential): Promise<void>
  hasRefresh(deviceId: string, nowMs: number): Promise<boolean>
  touch(deviceId: string, facts: Partial<DeviceFacts>, nowMs: number): Promise<void>
  devices(): Promise<{ device: DeviceRow; grants: Readonly<Record<string, number>> }[]>
  /** True when this very call revoked it: the caller then closes its sockets, once. */
  revoke(deviceId: string, nowMs: number): Promise<boolean>
  /** Origins that paired (decision D1) through a device that is still allowed. */
  origins(): Promise<string[]>
}

type Row = Record<string, string | number | null>

const DEVICE = 'device.device_id AS deviceId, client_id AS clientId, device.name AS name, model, platform, surface, form_factor AS formFactor, created_at_ms AS createdAtMs, seen_at_ms AS seenAtMs, revoked_at_ms AS revokedAtMs'
const CREDENTIAL = 'credential_id AS credentialId, credential.device_id AS credentialDeviceId, kind, token_prefix AS tokenPrefix, rotated_at_ms AS rotatedAtMs, issued_at_ms AS issuedAtMs, expires_at_ms AS expiresAtMs'

function prepareAll(db: Database) {
  const find = `SELECT ${DEVICE}, ${CREDENTIAL} FROM credential JOIN device USING (device_id) WHERE`
  return {
    putCode: db.prepare('INSERT OR REPLACE INTO claim_code (code_hash, issued_at_ms, expires_at_ms) VALUES (?, ?, ?)'),
    trimCodes: db.prepare('DELETE FROM claim_code WHERE used_at_ms IS NULL AND code_hash NOT IN (SELECT code_hash FROM claim_code WHERE used_at_ms IS NULL ORDER BY issued_at_ms DESC, rowid DESC LIMIT ?)'),
    dropCodes: db.prepare('DELETE FROM claim_code WHERE expires_at_ms < ?'),
    code: db.prepare('SELECT used_at_ms AS usedAtMs, expires_at_ms AS expiresAtMs FROM claim_code WHERE code_hash = ?'),
    anyCode: db.prepare('SELECT 1 AS yes FROM claim_code WHERE used_at_ms IS NULL AND expires_at_ms > ? LIMIT 1'),
    withdrawCodes: db.prepare('UPDATE claim_code SET expires_at_ms = ?1 WHERE used_at_ms IS NULL AND expires_at_ms > ?1'),
    useCode: db.prepare('UPDATE claim_code SET used_at_ms = ? WHERE code_hash = ? AND used_at_ms IS NULL AND expires_at_ms > ?'),
    sameClient: db.prepare('SELECT device_id AS deviceId FROM device WHERE client_id = ?'),
    dropDevice: db.prepare('DELETE FROM device WHERE device_id = ?'),
    crowded: db.prepare('SELECT device_id AS deviceId FROM device ORDER BY revoked_at_ms IS NOT NULL DESC, seen_at_ms LIMIT max(0, (SELECT count(*) FROM device) - ?)'),
    putDevice: db.prepare('INSERT INTO device (device_id, client_id, name, model, platform, surface, form_factor, created_at_ms, seen_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    putGrant: db.prepare('INSERT INTO device_grant (device_id, name, expires_at_ms) VALUES (?, ?, ?)'),
    grants: db.prepare('SELECT name, expires_at_ms AS expiresAtMs FROM device_grant WHERE device_id = ?'),
    putCredential: db.prepare('INSERT INTO credential (credential_id, device_id, kind, token_hash, token_prefix, issued_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)'),
    trimSessions: db.prepare("DELETE FROM credential WHERE device_id = ?1 AND kind = 'session' AND credential_id NOT IN (SELECT credential_id FROM credential WHERE device_id = ?1 AND kind = 'session' ORDER BY issued_at_ms DESC, rowid DESC LIMIT ?2)"),
    byHash: db.prepare(`${find} kind = ? AND token_hash = ?`),
    byPrevious: db.prepare(`${find} kind = 'refresh' AND previous_hash = ?`),
    byId: db.prepare(`${find} credential_id = ?`),
    rotate: db.prepare('UPDATE credential SET previous_hash = token_hash, rotated_at_ms = ?, token_hash = ?, token_prefix = ? WHERE credential_id = ?'),
    reRotate: db.prepare('UPDATE credential SET token_hash = ?, token_prefix = ? WHERE credential_id = ?'),
    renewGrants: db.prepare('UPDATE device_grant SET expires_at_ms = max(expires_at_ms, ?) WHERE device_id = ?'),
    anyRefresh: db.prepare("SELECT 1 AS yes FROM credential WHERE device_id = ? AND kind = 'refresh' AND expires_at_ms > ? LIMIT 1"),
    touch: db.prepare('UPDATE device SET seen_at_ms = ?, name = coalesce(?, name), model = coalesce(?, model), platform = coalesce(?, platform), surface = coalesce(?, surface), form_factor = coalesce(?, form_factor) WHERE device_id = ?'),
    devices: db.prepare(`SELECT ${DEVICE} FROM device WHERE revoked_at_ms IS NULL ORDER BY seen_at_ms DESC, device_id`),
    revoke: db.prepare('UPDATE device SET revoked_at_ms = ? WHERE device_id = ? AND revoked_at_ms IS NULL'),
    origins: db.prepare('SELECT DISTINCT origin FROM paired_origin JOIN device USING (device_id) WHERE revoked_at_ms IS NULL ORDER BY origin'),
    putOrigin: db.prepare('INSERT OR IGNORE INTO paired_origin (origin, device_id) VALUES (?, ?)'),
  }
}

export function createDoorRepo(db: Database): DoorRepo {
  const run = prepareAll(db)
  const write = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return inTransaction(db, work)
    } catch (error) {
      throw storeRefusal(error)
    }
  }
  const grantsOf = (deviceId: string) => Object.fromEntries((run.grants.all(deviceId) as Row[]).map((row) => [row.name, row.expiresAtMs])) as Record<string, number>
  const found = (row: unknown, isPrevious: boolean): Found => {
    const { credentialId, credentialDeviceId, kind, tokenPrefix, rotatedAtMs, issuedAtMs, expiresAtMs, ...device } = row as Row
    const credential = { credentialId, deviceId: credentialDeviceId, kind, tokenPrefix, rotatedAtMs, issuedAtMs, expiresAtMs } as CredentialRow
    return { credential, device: device as DeviceRow, grants: grantsOf(credential.deviceId), isPrevious }
  }
  const putCredential = (deviceId: string, kind: 'session' | 'refresh', fresh: NewCredential) => {
    run.putCredential.run(fresh.credentialId, deviceId, kind, fresh.tokenHash, fresh.tokenPrefix, fresh.issuedAtMs, fresh.expiresAtMs)
    if (kind === 'session') run.trimSessions.run(deviceId, SESSIONS_PER_DEVICE_MAX)
  }
  const dropDevices = (rows: unknown[]): string[] => (rows as { deviceId: string }[]).map(({ deviceId }) => {
    run.dropDevice.run(deviceId)
    return deviceId
  })
  return {
    putCode: ({ codeHash, issuedAtMs, expiresAtMs }) => write(() => {
      run.dropCodes.run(issuedAtMs - 24 * 3_600_000) // A used or expired code is still known by name for a day.
      run.putCode.run(codeHash, issuedAtMs, expiresAtMs)
      run.trimCodes.run(CODES_OPEN_MAX)
    }),
    async codeState(codeHash, nowMs) {
      const row = run.code.get(codeHash) as { usedAtMs: number | null; expiresAtMs: number } | undefined
      if (!row) return 'unknown'
      if (row.usedAtMs !== null) return 'used'
      return row.expiresAtMs > nowMs ? 'open' : 'expired'
    },
    hasOpenCode: async (nowMs) => run.anyCode.get(nowMs) !== undefined,
    withdrawCodes: (nowMs) => write(() => void run.withdrawCodes.run(nowMs)),
    claim: ({ codeHash, nowMs, device, grants, session, refresh, origin }) => write(() => {
      if (run.useCode.run(nowMs, codeHash, nowMs).changes !== 1) return null
      const replacedDeviceIds = device.clientId === null ? [] : dropDevices(run.sameClient.all(device.clientId))
      replacedDeviceIds.push(...dropDevices(run.crowded.all(DEVICES_MAX - 1)))
      run.putDevice.run(device.deviceId, device.clientId, device.name, device.model, device.platform, device.surface, device.formFactor, nowMs, nowMs)
      for (const [name, expiresAtMs] of Object.entries(grants)) run.putGrant.run(device.deviceId, name, expiresAtMs)
      putCredential(device.deviceId, 'session', session)
      putCredential(device.deviceId, 'refresh', refresh)
      if (origin !== null) run.putOrigin.run(origin, device.deviceId)
      return { replacedDeviceIds }
    }),
    async find(kind, tokenHash) {
      const current = run.byHash.get(kind, tokenHash)
      if (current) return found(current, false)
      const previous = kind === 'refresh' ? run.byPrevious.get(tokenHash) : undefined
      return previous ? found(previous, true) : null
    },
    async findById(credentialId) {
      const row = run.byId.get(credentialId)
      return row ? found(row, false) : null
    },
    rotate: ({ credentialId, tokenHash, tokenPrefix, nowMs, keepPrevious, session, grantsUntilMs }) => write(() => {
      if (keepPrevious) run.reRotate.run(tokenHash, tokenPrefix, credentialId)
      else run.rotate.run(nowMs, tokenHash, tokenPrefix, credentialId)
      const { deviceId } = run.byId.get(credentialId) as { deviceId: string }
      run.renewGrants.run(grantsUntilMs, deviceId)
      putCredential(deviceId, 'session', session)
    }),
    addRefresh: (deviceId, refresh) => write(() => putCredential(deviceId, 'refresh', refresh)),
    hasRefresh: async (deviceId, nowMs) => run.anyRefresh.get(deviceId, nowMs) !== undefined,
    touch: (deviceId, facts, nowMs) => write(() => {
      run.touch.run(nowMs, facts.name ?? null, facts.model ?? null, facts.platform ?? null, facts.surface ?? null, facts.formFactor ?? null, deviceId)
    }),
    devices: async () => (run.devices.all() as DeviceRow[]).map((device) => ({ device, grants: grantsOf(device.deviceId) })),
    revoke: (deviceId, nowMs) => write(() => run.revoke.run(nowMs, deviceId).changes === 1),
    origins: async () => (run.origins.all() as { origin: string }[]).map(({ origin }) => origin),
  }
}
