/**
 * The numbered events of one lease: merged while they wait together, kept in a ring for a page that comes back, sent to every
 * subscriber as the same JSON text (lease.md 2). Bounded twice; what fell out is answered with a snapshot, never guessed.
 */
import { EVENT_BYTES_MAX, MERGE_CHARS_MAX } from '#protocol/live/live-frame.ts'
import type { NumberedEvent, ViewEvent } from '#protocol/live/live-view.ts'
import { invariant } from '#protocol/refusal/refusal.ts'

export const RING_EVENTS_MAX = 2_048
export const RING_BYTES_MAX = 4 * 1_024 * 1_024
/** Large events kept for fetching, in bytes over all of one lease. */
export const STUB_BYTES_MAX = 8 * 1_024 * 1_024

type Entry = { seq: number; n: number; json: string; bytes: number }
type Pending = { seq: number; n: number; kind: 'text' | 'reasoning'; text: string }

export class EventStream {
  readonly #deliver: (entry: { seq: number; n: number; json: string }) => void
  readonly #stubHref: (seq: number) => string
  readonly #entries: Entry[] = []
  readonly #large = new Map<number, string>()
  #bytes = 0
  #largeBytes = 0
  #seq = 0
  #pending: Pending | null = null

  /** `deliver` gets each finished event once, in order; `stubHref` names where a large one can be fetched. */
  constructor(deliver: (entry: { seq: number; n: number; json: string }) => void, stubHref: (seq: number) => string) {
    this.#deliver = deliver
    this.#stubHref = stubHref
  }

  get seq(): number {
    return this.#seq
  }
  get bytes(): number {
    return this.#bytes + this.#largeBytes
  }
  get isWaiting(): boolean {
    return this.#pending !== null
  }

  /** Numbers one event. True when deltas wait now, so that the caller calls `flush` within MERGE_MS. */
  push(event: ViewEvent): boolean {
    const delta = deltaOf(event)
    if (delta && this.#pending?.kind === delta.kind) {
      this.#seq += 1
      this.#pending = { ...this.#pending, seq: this.#seq, n: this.#pending.n + 1, text: this.#pending.text + delta.text }
    } else {
      this.flush()
      this.#seq += 1
      if (delta) this.#pending = { seq: this.#seq, n: 1, ...delta }
      else this.#store(this.#seq, 1, event)
    }
    if (this.#pending && this.#pending.text.length >= MERGE_CHARS_MAX) this.flush()
    return this.#pending !== null
  }

  flush(): void {
    const pending = this.#pending
    if (!pending) return
    this.#pending = null
    this.#store(pending.seq, pending.n, { kind: 'turn', event: { kind: pending.kind, text: pending.text } })
  }

  /** What a page that has everything up to `seq` lacks; a gap when it is no longer kept, or was never ours to give. */
  after(seq: number): { kind: 'events'; entries: readonly string[] } | { kind: 'gap' } {
    this.flush()
    if (seq > this.#seq) return { kind: 'gap' }
    const oldest = this.#entries[0]
    const seqKnown = oldest ? oldest.seq - oldest.n : this.#seq
    if (seq < seqKnown) return { kind: 'gap' }
    return { kind: 'events', entries: this.#entries.filter((entry) => entry.seq > seq).map((entry) => entry.json) }
  }

  /** The whole text of an event that travelled as a stub. */
  large(seq: number): string | null {
    return this.#large.get(seq) ?? null
  }

  /** Lets go of what is kept for returning pages; they will get snapshots. */
  forget(): void {
    this.#entries.length = 0
    this.#large.clear()
    this.#bytes = 0
    this.#largeBytes = 0
  }

  #store(seq: number, n: number, event: ViewEvent): void {
    let json = JSON.stringify({ seq, n, event } satisfies NumberedEvent)
    let bytes = Buffer.byteLength(json)
    if (bytes > EVENT_BYTES_MAX) {
      this.#keepLarge(seq, json, bytes)
      json = JSON.stringify({ seq, n, event: { kind: 'stub', bytes, href: this.#stubHref(seq) } } satisfies NumberedEvent)
      bytes = Buffer.byteLength(json)
    }
    invariant(this.#entries.length === 0 || seq - n === this.#entries.at(-1)?.seq, 'events are numbered without holes')
    this.#entries.push({ seq, n, json, bytes })
    this.#bytes += bytes
    while (this.#entries.length > RING_EVENTS_MAX || this.#bytes > RING_BYTES_MAX) this.#bytes -= this.#entries.shift()?.bytes ?? 0
    this.#deliver({ seq, n, json })
  }

  #keepLarge(seq: number, json: string, bytes: number): void {
    this.#large.set(seq, json)
    this.#largeBytes += bytes
    for (const [oldest, text] of this.#large) {
      if (this.#largeBytes <= STUB_BYTES_MAX || oldest === seq) break
      this.#large.delete(oldest)
      this.#largeBytes -= Buffer.byteLength(text)
    }
  }
}

function deltaOf(event: ViewEvent): { kind: 'text' | 'reasoning'; text: string } | null {
  if (event.kind !== 'turn') return null
  const inner = event.event
  return inner.kind === 'text' || inner.kind === 'reasoning' ? { kind: inner.kind, text: inner.text } : null
}
