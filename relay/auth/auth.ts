/**
 * The relay's door: turns a code or a token into a device with grants, and takes that back. Tokens and codes leave here once, to their
 * owner; nothing that is stored, logged or thrown contains them.
 */
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import { type AuthPayload, GRANTS, type Grant } from '#protocol/system/system-frame.ts'
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { DeviceFacts, DeviceRow, DoorRepo, Found, NewCredential } from './door-repo.ts'
import { RateLimit } from './rate-limit.ts'
import { drawCode, hashSecret, parseCode, parseToken, prefixOf, TOKEN_BYTES } from './secrets.ts'

const DAY_MS = 86_400_000
export const CODE_LIFE_MS = 600_000
export const SESSION_LIFE_MS = 30 * DAY_MS
export const REFRESH_LIFE_MS = 180 * DAY_MS
/** A lost `auth.ok` loses the rotated token: the one before it works this long more, for the same device (ruling 8). */
export const REFRESH_GRACE_MS = 60_000

/** One valid session of one device, as of now. */
export type Principal = {
  credentialId: string
  deviceId: string
  deviceName: string
  expiresAtMs: number
  /** Grant to its expiry; a grant that is not here is missing. */
  grants: Readonly<Record<string, number>>
}
export type Welcome = { kind: 'welcome'; principal: Principal; sessionToken: string; refreshToken: string | null }
export type Refusal = { kind: 'refused'; code: RefusalCode }
/** `origin`: a website that is not known yet; it may only use a code, and is known afterwards (ruling 15). */
export type Peer = { address: string; unknownOrigin: string | null }
export type DeviceView = {
  device_id: string; name: string; platform: string | null; form_factor: string | null
  created_at_ms: number; seen_at_ms: number; grants: Readonly<Record<string, number>>
}

export interface Auth {
  authenticate(payload: AuthPayload, peer: Peer): Promise<Welcome | Refusal>
  /** The `Authorization` value of an HTTP request. */
  bearer(header: string | undefined, address: string): Promise<Principal | Refusal>
  /** Read again on every frame. `auth_required`: expired, a refresh token brings a new session; `session_revoked`: signed out. */
  principal(credentialId: string): Promise<Principal | Refusal>
  mintCode(): Promise<{ code: string; expiresAtMs: number }>
  hasOpenCode(): Promise<boolean>
  devices(): Promise<DeviceView[]>
  /** False when there was no such device. */
  revoke(deviceId: string): Promise<boolean>
  pairedOrigins(): Promise<string[]>
  /** Called with a device whose sockets must close now. */
  onRevoked(listener: (deviceId: string) => void): void
}

export const isGranted = (principal: Pick<Principal, 'grants'>, grant: Grant, nowMs: number): boolean => (principal.grants[grant] ?? 0) > nowMs

type Parts = { repo: DoorRepo; clock: Clock; chance: Chance; draw?: () => string }

export function createAuth({ repo, clock, chance, draw = drawCode }: Parts): Auth {
  const limit = new RateLimit()
  const listeners: ((deviceId: string) => void)[] = []
  const tellRevoked = (deviceId: string) => {
    for (const listener of listeners) listener(deviceId)
  }
  const door = new Door({ repo, clock, chance }, limit, tellRevoked)
  return {
    async authenticate(payload, peer) {
      let refusal: Refusal = { kind: 'refused', code: 'auth_required' }
      const { session_token: session, refresh_token: refresh, pairing_code: code } = payload
      const isKnown = peer.unknownOrigin === null
      const steps = [
        session !== undefined && isKnown ? () => door.trySession(session, payload, peer) : null,
        refresh !== undefined && isKnown ? () => door.tryRefresh(refresh, payload, peer) : null,
        code !== undefined ? () => door.tryCode(code, payload, peer) : null,
      ]
      for (const step of steps) {
        const outcome = step ? await step() : null
        if (outcome?.kind === 'welcome') return outcome
        if (outcome) refusal = moreTelling(refusal, outcome)
      }
      return refusal
    },
    async bearer(header, address) {
      const raw = /^bearer (.*)$/is.exec(header ?? '')?.[1]
      if (raw === undefined) return { kind: 'refused', code: 'auth_required' }
      const checked = await door.checkToken('session', raw, address)
      return checked.kind === 'refused' ? checked : principalOf(checked.found)
    },
    async principal(credentialId) {
      const found = await repo.findById(credentialId)
      if (found && found.device.revokedAtMs !== null) return { kind: 'refused', code: 'session_revoked' }
      return found && found.credential.expiresAtMs > clock.now() ? principalOf(found) : { kind: 'refused', code: 'auth_required' }
    },
    async mintCode() {
      const code = draw()
      const issuedAtMs = clock.now()
      await repo.putCode({ codeHash: hashSecret(code), issuedAtMs, expiresAtMs: issuedAtMs + CODE_LIFE_MS })
      limit.clear()
      return { code, expiresAtMs: issuedAtMs + CODE_LIFE_MS }
    },
    hasOpenCode: () => repo.hasOpenCode(clock.now()),
    devices: async () => (await repo.devices()).map(({ device, grants }) => viewOf(device, grants)),
    async revoke(deviceId) {
      const revoked = await repo.revoke(deviceId, clock.now())
      if (revoked) tellRevoked(deviceId)
      return revoked
    },
    pairedOrigins: () => repo.origins(),
    onRevoked: (listener) => void listeners.push(listener),
  }
}

/** The three credentials, one method each (contract relay.md 4.2.1). */
class Door {
  readonly #repo: DoorRepo
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #limit: RateLimit
  readonly #tellRevoked: (deviceId: string) => void

  constructor({ repo, clock, chance }: Parts, limit: RateLimit, tellRevoked: (deviceId: string) => void) {
    this.#repo = repo
    this.#clock = clock
    this.#chance = chance
    this.#limit = limit
    this.#tellRevoked = tellRevoked
  }

  async trySession(raw: string, payload: AuthPayload, peer: Peer): Promise<Welcome | Refusal> {
    const checked = await this.checkToken('session', raw, peer.address)
    if (checked.kind === 'refused') return checked
    const { found, token } = checked
    // Best effort, both writes: on a full disk a valid session still gets in.
    await this.#repo.touch(found.device.deviceId, factsOf(payload), this.#clock.now()).catch(() => {})
    let refreshToken: string | null = null
    if (payload.refresh_token === undefined && found.device.clientId !== null && !(await this.#repo.hasRefresh(found.device.deviceId, this.#clock.now()))) {
      const refresh = this.#freshToken(REFRESH_LIFE_MS)
      refreshToken = await this.#repo.addRefresh(found.device.deviceId, refresh.row).then(() => refresh.token, () => null)
    }
    return { kind: 'welcome', principal: principalOf(found, payload.device_name), sessionToken: token, refreshToken }
  }

  async tryRefresh(raw: string, payload: AuthPayload, peer: Peer): Promise<Welcome | Refusal> {
    const checked = await this.checkToken('refresh', raw, peer.address)
    if (checked.kind === 'refused') return checked
    const { found } = checked
    const presented = parseClientId(payload.device_id)
    if (presented !== found.device.clientId && presented !== found.device.deviceId) return { kind: 'refused', code: 'auth_required' } // Not consumed.
    const nowMs = this.#clock.now()
    if (found.isPrevious && (found.credential.rotatedAtMs ?? 0) + REFRESH_GRACE_MS <= nowMs) return { kind: 'refused', code: 'auth_required' }
    const session = this.#freshToken(SESSION_LIFE_MS)
    const refresh = this.#freshToken(REFRESH_LIFE_MS)
    await this.#repo.rotate({
      credentialId: found.credential.credentialId, tokenHash: refresh.row.tokenHash, tokenPrefix: refresh.row.tokenPrefix, nowMs, keepPrevious: found.isPrevious, session: session.row,
      grantsUntilMs: session.row.expiresAtMs,
    })
    await this.#repo.touch(found.device.deviceId, factsOf(payload), nowMs)
    const grants = Object.fromEntries(Object.keys(found.grants).map((grant) => [grant, session.row.expiresAtMs]))
    const principal = { ...principalOf(found, payload.device_name), credentialId: session.row.credentialId, expiresAtMs: session.row.expiresAtMs, grants }
    return { kind: 'welcome', principal, sessionToken: session.token, refreshToken: refresh.token }
  }

  /** A valid fresh code always passes, also from a blocked address; only failures count. */
  async tryCode(typed: string, payload: AuthPayload, peer: Peer): Promise<Welcome | Refusal> {
    const nowMs = this.#clock.now()
    const code = parseCode(typed)
    const codeHash = hashSecret(code ?? '')
    const state = code === null ? 'unknown' : await this.#repo.codeState(codeHash, nowMs)
    // A used or expired code is no guess: a stale tab must not spend the budget.
    if (code !== null && state === 'unknown' && (await this.#repo.hasOpenCode(nowMs)) && this.#limit.spendCode()) await this.#repo.withdrawCodes(nowMs)
    if (state !== 'open') return this.#failCode(state, peer, nowMs)
    const session = this.#freshToken(SESSION_LIFE_MS)
    const refresh = this.#freshToken(REFRESH_LIFE_MS)
    const grants = Object.fromEntries(GRANTS.map((grant) => [grant, nowMs + SESSION_LIFE_MS]))
    const device = newDevice(this.#chance.uuid(), payload, nowMs)
    const claimed = await this.#repo.claim({ codeHash, nowMs, device, grants, session: session.row, refresh: refresh.row, origin: peer.unknownOrigin })
    if (!claimed) return this.#failCode('used', peer, nowMs)
    this.#limit.succeed(peer.address, 'code', '')
    for (const deviceId of claimed.replacedDeviceIds) this.#tellRevoked(deviceId)
    const principal = { credentialId: session.row.credentialId, deviceId: device.deviceId, deviceName: device.name, expiresAtMs: session.row.expiresAtMs, grants }
    return { kind: 'welcome', principal, sessionToken: session.token, refreshToken: refresh.token }
  }

  async checkToken(kind: 'session' | 'refresh', raw: string, address: string): Promise<{ kind: 'found'; found: Found; token: string } | Refusal> {
    const nowMs = this.#clock.now()
    const token = parseToken(raw)
    const prefix = prefixOf(token ?? '')
    if (this.#limit.isBlocked(address, kind, prefix, nowMs)) return { kind: 'refused', code: 'rate_limited' }
    const found = token === null ? null : await this.#repo.find(kind, hashSecret(token))
    if (token !== null && found && found.device.revokedAtMs === null && found.credential.expiresAtMs > nowMs) {
      this.#limit.succeed(address, kind, prefix)
      return { kind: 'found', found, token }
    }
    this.#limit.fail(address, kind, prefix, nowMs)
    return { kind: 'refused', code: found && found.device.revokedAtMs !== null ? 'session_revoked' : 'auth_required' }
  }

  #failCode(state: 'used' | 'expired' | 'unknown', peer: Peer, nowMs: number): Refusal {
    const wasBlocked = this.#limit.isBlocked(peer.address, 'code', '', nowMs)
    this.#limit.fail(peer.address, 'code', '', nowMs)
    return { kind: 'refused', code: wasBlocked ? 'rate_limited' : `code_${state}` }
  }

  #freshToken(lifeMs: number): { token: string; row: NewCredential } {
    const token = this.#chance.token(TOKEN_BYTES)
    const issuedAtMs = this.#clock.now()
    return { token, row: { credentialId: this.#chance.uuid(), tokenHash: hashSecret(token), tokenPrefix: prefixOf(token), issuedAtMs, expiresAtMs: issuedAtMs + lifeMs } }
  }
}

/** Of two failed credentials, the answer that tells the person more: what happened to the code, else that the device was signed out. */
function moreTelling(before: Refusal, after: Refusal): Refusal {
  if (after.code.startsWith('code_') || before.code === 'auth_required') return after
  return after.code === 'auth_required' ? before : after
}

function principalOf({ credential, device, grants }: Found, nameNow?: string): Principal {
  return { credentialId: credential.credentialId, deviceId: device.deviceId, deviceName: parseFact(nameNow) ?? device.name, expiresAtMs: credential.expiresAtMs, grants }
}

const viewOf = (device: DeviceRow, grants: Readonly<Record<string, number>>): DeviceView => ({
  device_id: device.deviceId, name: device.name, platform: device.platform, form_factor: device.formFactor, created_at_ms: device.createdAtMs, seen_at_ms: device.seenAtMs, grants,
})

const newDevice = (deviceId: string, payload: AuthPayload, nowMs: number): DeviceRow => ({
  deviceId, clientId: parseClientId(payload.device_id), name: parseFact(payload.device_name) ?? 'Unknown device', model: parseFact(payload.device_model),
  platform: parseFact(payload.device_platform), surface: parseFact(payload.client_surface), formFactor: parseFact(payload.device_form_factor), createdAtMs: nowMs, seenAtMs: nowMs, revokedAtMs: null,
})

function factsOf(payload: AuthPayload): Partial<DeviceFacts> {
  const [name, model, platform] = [parseFact(payload.device_name), parseFact(payload.device_model), parseFact(payload.device_platform)]
  const [surface, formFactor] = [parseFact(payload.client_surface), parseFact(payload.device_form_factor)]
  return { ...(name !== null && { name }), model, platform, surface, formFactor }
}

/** Placeholders mean "not said" (contract relay.md 4.2): shared by many devices, they must never own anything. */
function parseFact(said: string | undefined): string | null {
  const fact = (said ?? '').replace(/[\x00-\x1f\x7f]/g, ' ').trim()
  return fact === '' || /^(?:unknown|none|null)$/i.test(fact) ? null : fact
}
const parseClientId = parseFact
