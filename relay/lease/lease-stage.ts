/** What every stage of a delivery shares. */
import type { ActiveSession } from './gateway-link.ts'
import type { LeaseDraft } from './lease-draft.ts'
import type { Delivery } from './lease-state.ts'

export type Stage<Name extends Delivery['stage']> = Extract<Delivery, { stage: Name }>

/** A session that Hermes does not list is not running: its runtime is gone. */
export const isIdle = (active: ActiveSession | null): boolean => active === null || active.status === 'idle' || active.status === ''

/** Nothing is on the way; what is queued is tried again after a pause, or when something changes. */
export function rest(d: LeaseDraft, pauseMs: number | null): void {
  d.state.delivery = { stage: 'rest' }
  if (pauseMs !== null) d.timer('drain', pauseMs)
}
