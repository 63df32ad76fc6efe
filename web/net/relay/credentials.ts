/** Who this browser is to one relay. Tokens live in IndexedDB; rotation runs once over all tabs (ruling 8). */
import type { AuthFail, AuthOk, HermesFacts } from '#protocol/system/system-frame.ts'
import type { KeyedStore } from '#web/storage/keyed-store.ts'
import type { DeviceRecord } from '#web/storage/page-storage.ts'
import { type AuthResult, authOnce } from './auth-once.ts'

export type Credentials = {
  read(): Promise<DeviceRecord | null>
  /** As it was last read or kept: what the page shows of the relay until the relay speaks. */
  known(): DeviceRecord | null
  keep(auth: AuthOk): Promise<DeviceRecord>
  /** Another agent stands behind the relay. */
  learn(hermes: HermesFacts): Promise<void>
  /** After the relay refused `usedToken`: a fresh device record, or why there is none. */
  rotate(usedToken: string): Promise<DeviceRecord | AuthFail | 'unreachable'>
  forget(): Promise<void>
}

const NO_DEVICE: AuthFail = { reason: 'no credential', code: 'auth_required', say: 'This browser is not signed in to the relay.', next: 'Open the link that the relay printed, or type its code.' }

export function createCredentials(base: string, devices: KeyedStore<DeviceRecord>, authenticate: typeof authOnce = authOnce): Credentials {
  let known: DeviceRecord | null = null
  const read = async (): Promise<DeviceRecord | null> => { known = await devices.get(base); return known }
  async function keep(auth: AuthOk): Promise<DeviceRecord> {
    const before = await read()
    const record: DeviceRecord = {
      base, sessionToken: auth.session_token, refreshToken: auth.refresh_token ?? before?.refreshToken ?? null, deviceId: auth.device_id, deviceName: auth.device_name, hostName: auth.host_name,
      expiresAtMs: auth.expires_at === null ? null : auth.expires_at * 1_000, grants: Object.keys(auth.grants), welcomed: before?.deviceId === auth.device_id ? before.welcomed : false, hermes: auth.hermes,
    }
    known = record
    await devices.put(base, record)
    return record
  }
  async function rotateAlone(usedToken: string): Promise<DeviceRecord | AuthFail | 'unreachable'> {
    const current = await read()
    if (!current) return NO_DEVICE
    if (current.sessionToken !== usedToken) return current // Another tab was faster.
    if (!current.refreshToken) return NO_DEVICE
    const result: AuthResult = await authenticate(base, { refresh_token: current.refreshToken, device_id: current.deviceId, device_name: current.deviceName })
    if (result.kind === 'ok') return keep(result.auth)
    return result.kind === 'fail' ? result.fail : 'unreachable'
  }
  let running: Promise<DeviceRecord | AuthFail | 'unreachable'> | null = null
  return {
    read, keep, known: () => known,
    async learn(hermes) {
      if (known) known = { ...known, hermes }
      await devices.change(base, (record) => ({ ...record, hermes }))
    },
    rotate(usedToken) {
      running ??= (globalThis.navigator?.locks ? navigator.locks.request('hermes-rotate', () => rotateAlone(usedToken)) : rotateAlone(usedToken)).finally(() => { running = null })
      return running
    },
    forget: () => { known = null; return devices.remove(base) },
  }
}
