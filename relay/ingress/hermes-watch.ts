/** Whether Hermes answers, and as which version: asked at start and then now and again, so that nobody who asks us has to wait for it. */
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import type { Clock } from '#relay/clock/clock.ts'
import type { UpstreamTransport } from '#relay/lease/upstream-transport.ts'

export const WATCH_EVERY_MS = 30_000
/** While it does not answer: somebody waits for it. */
export const WATCH_ABSENT_MS = 3_000
const STATUS_WITHIN_MS = 2_000
const STATUS_BYTES_MAX = 256 * 1_024

export interface HermesWatch {
  facts(): HermesFacts
  look(): Promise<HermesFacts>
  stop(): void
}

/** `onChange` is told when Hermes comes, goes, or is another version. */
export function createHermesWatch(transport: UpstreamTransport, clock: Clock, onChange: (facts: HermesFacts) => void = () => {}): HermesWatch {
  let facts: HermesFacts = { kind: transport.kind, ready: false, version: null, demo: transport.isDemo }
  let timer: object | null = null
  let stopped = false

  async function look(): Promise<HermesFacts> {
    if (timer) clock.clearTimer(timer)
    timer = null
    const answer = await transport.request({ method: 'GET', path: '/api/status', timeoutMs: STATUS_WITHIN_MS, bytesMax: STATUS_BYTES_MAX }).catch(() => null)
    const status = answer?.kind === 'answer' && answer.status === 200 ? parseStatus(answer.body) : null
    const before = facts
    facts = { ...facts, ready: status !== null, version: status?.version ?? facts.version }
    if (!stopped && (facts.ready !== before.ready || facts.version !== before.version)) onChange(facts)
    if (!stopped) timer = clock.setTimer(() => void look(), facts.ready ? WATCH_EVERY_MS : WATCH_ABSENT_MS)
    return facts
  }
  return {
    facts: () => facts,
    look,
    stop() {
      stopped = true
      if (timer) clock.clearTimer(timer)
    },
  }
}

/** Is this the status of a Hermes at all, and of which version? */
export function parseStatus(body: string): { version: string | null } | null {
  try {
    const status = JSON.parse(body) as { version?: unknown; auth_required?: unknown } | null
    if (typeof status !== 'object' || status === null || (typeof status.version !== 'string' && typeof status.auth_required !== 'boolean')) return null
    return { version: typeof status.version === 'string' && status.version.trim() !== '' ? status.version.slice(0, 64) : null }
  } catch {
    return null
  }
}
