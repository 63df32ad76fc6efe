/**
 * Deleting a conversation, with ten seconds to take it back (ruling 19): upstream's delete is final, so the order waits here, is
 * written down, and is carried out even if every page is closed or the relay was restarted meanwhile.
 */
import type { Clock, TimerHandle } from '../clock/clock.ts'
import { storeRefusal } from '../store/database.ts'
import type { Journal, Tombstone } from './journal.ts'
import type { LeaseRegistry } from './lease-registry.ts'
import type { UpstreamTransport } from './upstream-transport.ts'

/** Time to take a delete back, in ms. */
export const UNDO_MS = 10_000
/** Pause before a delete that Hermes did not take is tried again, in ms. */
export const RETRY_MS = 30_000
/** Deletes that may wait at once. */
export const TOMBSTONES_MAX = 200
/** A stop is given this long before the delete goes on, in ms. */
const STOP_MS = 3_000

export type Deletions = {
  start(): Promise<void>
  /** Null when too many wait: then the caller deletes at once. */
  request(storedId: string, profile: string | null): Promise<{ ok: true; execute_at_ms: number } | null>
  /** True when it was still time. */
  undo(storedId: string): Promise<boolean>
  /** Conversations that are as good as gone: lists leave them out. */
  isHidden(storedId: string): boolean
  close(): void
}

export function createDeletions(deps: { journal: Journal; transport: UpstreamTransport; registry: LeaseRegistry; clock: Clock; onLog: (line: string, facts: Record<string, unknown>) => void }): Deletions {
  const { journal, transport, registry, clock } = deps
  const waiting = new Map<string, { timer: TimerHandle; tombstone: Tombstone; executing: boolean }>()

  const arm = (tombstone: Tombstone, delayMs: number): void => {
    waiting.set(tombstone.storedId, { timer: clock.setTimer(() => void carryOut(tombstone), delayMs), tombstone, executing: false })
  }

  /** A disk that is full ends no relay: the order stays, hidden, and is tried again. */
  async function carryOut(tombstone: Tombstone): Promise<void> {
    try {
      await execute(tombstone)
    } catch (error) {
      deps.onLog('a delete could not be written down', { code: storeRefusal(error).code })
      if (waiting.has(tombstone.storedId)) arm(tombstone, RETRY_MS)
    }
  }

  /** A running turn is stopped first: the person was asked, and deleting is their stop click. */
  async function execute(tombstone: Tombstone): Promise<void> {
    const order = waiting.get(tombstone.storedId)
    if (order) order.executing = true // From here on it cannot be taken back.
    const lease = registry.find(tombstone.storedId, tombstone.profile)
    if (lease?.isRunning) {
      await lease.command((cmd) => ({ kind: 'stop_pressed', cmd }))
      await new Promise<void>((resolve) => { clock.setTimer(resolve, STOP_MS) })
    }
    if (lease?.liveId) await registry.link.call('session.close', { session_id: lease.liveId })
    const query = tombstone.profile ? `?profile=${encodeURIComponent(tombstone.profile)}` : ''
    const answer = await transport.request({ method: 'DELETE', path: `/api/sessions/${encodeURIComponent(tombstone.storedId)}${query}`, timeoutMs: 15_000 })
    const gone = answer.kind === 'answer' && (answer.status < 300 || answer.status === 404)
    if (!waiting.has(tombstone.storedId)) return // Closed meanwhile; the tombstone is on disk.
    if (!gone) {
      deps.onLog('a delete is tried again later', { status: answer.kind === 'answer' ? answer.status : answer.kind })
      return arm(tombstone, RETRY_MS)
    }
    await journal.removeTombstone(tombstone.storedId)
    waiting.delete(tombstone.storedId)
  }

  return {
    async start() {
      for (const tombstone of await journal.tombstones()) arm(tombstone, Math.max(0, tombstone.executeAtMs - clock.now()))
    },
    async request(storedId, profile) {
      const known = waiting.get(storedId)
      if (known) return { ok: true, execute_at_ms: known.tombstone.executeAtMs }
      if (waiting.size >= TOMBSTONES_MAX) return null
      const tombstone: Tombstone = { storedId, profile, executeAtMs: clock.now() + UNDO_MS }
      await journal.addTombstone(tombstone).catch((error: unknown) => { throw storeRefusal(error) })
      arm(tombstone, UNDO_MS)
      return { ok: true, execute_at_ms: tombstone.executeAtMs }
    },
    async undo(storedId) {
      const order = waiting.get(storedId)
      if (!order || order.executing) return false
      clock.clearTimer(order.timer)
      if (!(await journal.removeTombstone(storedId))) return false
      waiting.delete(storedId)
      return true
    },
    isHidden: (storedId) => waiting.has(storedId),
    close() {
      for (const { timer } of waiting.values()) clock.clearTimer(timer)
      waiting.clear()
    },
  }
}
