/** The bearer of a request, as a device with the grant that a route needs. */
import { Refused } from '#protocol/refusal/refusal.ts'
import type { Grant } from '#protocol/system/system-frame.ts'
import type { Clock } from '#relay/clock/clock.ts'
import { type Auth, isGranted, type Principal } from './auth.ts'

export type DeviceGate = (request: Request, address: string, grant?: Grant) => Promise<Principal>

export const createDeviceGate = (auth: Auth, clock: Clock): DeviceGate => async (request, address, grant) => {
  const outcome = await auth.bearer(request.headers.get('authorization') ?? undefined, address)
  if ('kind' in outcome) throw new Refused(outcome.code)
  if (grant !== undefined && !isGranted(outcome, grant, clock.now())) throw new Refused('grant_missing', { grant })
  return outcome
}
