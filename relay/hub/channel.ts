/** What a channel of the relay socket is (architecture: channels register at the hub). */
import type { Envelope } from '#protocol/envelope/envelope.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import type { Grant } from '#protocol/system/system-frame.ts'

/** One authenticated socket, as a channel sees it. */
export interface ChannelSession {
  readonly socketId: string
  readonly deviceId: string
  readonly deviceName: string
  readonly supports: Readonly<Record<string, unknown>>
  /** Checked again on every call: a revoked grant works in the middle of a connection. */
  hasGrant(grant: Grant): boolean
  /**
   * Puts a frame of this channel into the socket's bounded outbound queue, behind channels of higher priority.
   * `payloadJson` is JSON text, serialised once for all subscribers.
   */
  send(type: string, payloadJson: string, id?: string): void
}

export type ChannelRefusal = { code: RefusalCode; detail?: Readonly<Record<string, unknown>> }

export interface ChannelHandle {
  /** Frames of one socket arrive one after another: the next waits for the promise. A throw is an `internal` refusal, never a closed socket. */
  onFrame(frame: Envelope): Promise<ChannelRefusal | void>
  onClose(): void
}

export interface Channel {
  readonly name: string
  /** The grant that every frame of this channel needs. */
  readonly grant: Grant
  open(session: ChannelSession): ChannelHandle
}

/** Outbound order: a lower number leaves first. `system` is 0. */
export const CHANNEL_PRIORITY: Readonly<Record<string, number>> = { system: 0, pairing: 1, live: 2, terminal: 2, bridge: 2 }
