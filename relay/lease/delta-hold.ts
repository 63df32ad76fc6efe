/**
 * Words of one answer that come in one breath are one step of the lease: a model at full speed sends hundreds of frames in one read
 * of the socket, and a step for each was most of the relay's work. Order is kept; nothing waits beyond the read it came with.
 */
import { MERGE_CHARS_MAX } from '#protocol/live/live-frame.ts'
import type { LeaseInput } from './lease-state.ts'

/** What of a turn is only more words. */
export type Delta = Extract<LeaseInput, { kind: 'fact' }> & { fact: { kind: 'turn'; event: { kind: 'text' | 'reasoning'; text: string } } }

/** Text that streams changes nothing in the list of conversations. */
export const isDelta = (input: LeaseInput): input is Delta => input.kind === 'fact' && input.fact.kind === 'turn' && (input.fact.event.kind === 'text' || input.fact.event.kind === 'reasoning')

export class DeltaHold {
  readonly #deliver: (input: LeaseInput) => void
  #held: { kind: 'text' | 'reasoning'; text: string } | null = null

  constructor(deliver: (input: LeaseInput) => void) {
    this.#deliver = deliver
  }

  /** Keeps words until the end of this read, or until there are enough; everything else lets them go first, and is not kept. */
  take(input: LeaseInput): boolean {
    if (!isDelta(input)) {
      this.release()
      return false
    }
    const { kind, text } = input.fact.event
    if (this.#held?.kind === kind) this.#held.text += text
    else {
      this.release()
      this.#held = { kind, text }
      queueMicrotask(() => this.release())
    }
    if (this.#held.text.length >= MERGE_CHARS_MAX) this.release()
    return true
  }

  release(): void {
    const held = this.#held
    this.#held = null
    if (held) this.#deliver({ kind: 'fact', fact: { kind: 'turn', event: held } })
  }
}
