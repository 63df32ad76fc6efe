/**
 * How much may be on the way to one reader: a window of bytes not yet confirmed by an answered ping. It grows while the reader is quick
 * and there is more to say, shrinks when data waits on the way. Pure; the socket writer carries it out.
 */
export const WINDOW_BYTES_FIRST = 16 * 1_024
export const WINDOW_BYTES_MIN = 8 * 1_024
export const WINDOW_BYTES_MAX = 1_024 * 1_024
/** Below this delay the window doubles, above the other it halves, in ms; both on top of the quietest round trip seen. */
export const QUICK_MS = 40
export const SLOW_MS = 70
/** A quietest round trip longer than this is not believed: it was a sleeping phone, not the distance, in ms. */
export const BASELINE_MS_MAX = 300
/** A receipt is asked for after at least this share of the window. */
const RECEIPTS_PER_WINDOW = 4

/** Only a receipt behind a nearly full window shows what the line can take: the first bytes of a burst are always quick. */
const FULL_SHARE = 0.75

type Receipt = { ping: number; bytes: number; sentAtMs: number; wasFull: boolean }

export class SendWindow {
  #window = WINDOW_BYTES_FIRST
  #unconfirmed = 0
  #sinceReceipt = 0
  #nextPing = 1
  #baselineMs = BASELINE_MS_MAX
  #sawQuiet = false
  /** Receipts up to this one were asked for before the window last changed, and say nothing about its present size. */
  #changedAtPing = 0
  readonly #receipts: Receipt[] = []

  get windowBytes(): number {
    return this.#window
  }
  get unconfirmedBytes(): number {
    return this.#unconfirmed
  }

  /** One frame may always be on the way, however large; else it must fit. */
  canSend(bytes: number): boolean {
    return this.#unconfirmed === 0 || this.#unconfirmed + bytes <= this.#window
  }

  sent(bytes: number): void {
    this.#unconfirmed += bytes
    this.#sinceReceipt += bytes
  }

  /** The number to put into the next ping, when one is due: a portion is complete, or there is nothing more to send. */
  receiptDue(isLast: boolean, nowMs: number): number | null {
    if (this.#sinceReceipt === 0 || (!isLast && this.#sinceReceipt < this.#window / RECEIPTS_PER_WINDOW)) return null
    return this.#ask(nowMs)
  }

  /** A ping without data, for heartbeat and baseline. */
  probe(nowMs: number): number {
    return this.#ask(nowMs)
  }

  /** An answered ping confirms everything before it. `isHungry`: more was waiting than the window allowed. Unknown numbers change nothing. */
  answered(ping: number, isHungry: boolean, nowMs: number): void {
    const at = this.#receipts.findIndex((receipt) => receipt.ping === ping)
    if (at < 0) return
    const confirmed = this.#receipts.splice(0, at + 1)
    const receipt = confirmed.at(-1) as Receipt
    for (const { bytes } of confirmed) this.#unconfirmed -= bytes
    const tripMs = Math.max(0, nowMs - receipt.sentAtMs) // The wall clock may have been set back.
    this.#baselineMs = Math.min(this.#baselineMs, this.#sawQuiet ? tripMs : Math.min(tripMs, BASELINE_MS_MAX))
    this.#sawQuiet = true
    const delayMs = tripMs - this.#baselineMs
    if (ping <= this.#changedAtPing) return
    if (delayMs > SLOW_MS) this.#resize(Math.max(WINDOW_BYTES_MIN, this.#window / 2))
    else if (delayMs < QUICK_MS && isHungry && receipt.wasFull) this.#resize(Math.min(WINDOW_BYTES_MAX, this.#window * 2))
  }

  #resize(windowBytes: number): void {
    this.#window = windowBytes
    this.#changedAtPing = this.#nextPing - 1
  }

  #ask(nowMs: number): number {
    const ping = this.#nextPing++
    this.#receipts.push({ ping, bytes: this.#sinceReceipt, sentAtMs: nowMs, wasFull: this.#unconfirmed >= this.#window * FULL_SHARE })
    this.#sinceReceipt = 0
    return ping
  }
}
