/** One relay over the player, and devices that follow a conversation with the real attach core. Time stands still until a test moves it. */
import { expect } from 'vitest'
import { createPlayerHost, type PlayerHost, type PlayerOptions } from '#relay/embedded/player-host.ts'
import type { ChannelRefusal, ChannelSession } from '#relay/hub/channel.ts'
import type { Lease } from '#relay/lease/lease.ts'
import { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import type { Grant } from '#protocol/system/system-frame.ts'
import { type AttachInput, type AttachState, initialAttach, stepAttach } from '#web/core/attach/attach.ts'
import { createFaultTransport, type FaultTransport, type UpstreamHand } from './fault-transport.ts'
import { RelayWorld } from './relay-world.ts'
import { createSeededChance } from './seeded-chance.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

export type Said = ChannelRefusal | undefined
export type Device = {
  /** One frame of the `live` channel; answers what the channel refused, if anything. */
  say(type: string, payload?: Record<string, unknown>): Promise<Said>
  /** Sends a message; the id is `message-<n>` unless given. */
  write(text: string, clientMsgId?: string, more?: Record<string, unknown>): Promise<Said>
  attach(): Promise<Said>
  close(): void
  readonly frames: LiveRelayFrame[]
  readonly view: LiveView
  /** Text of the answer, one entry per bubble. */
  readonly bubbles: string[]
  grants: Set<Grant>
}
export type LeaseWorld = {
  clock: VirtualClock; host: PlayerHost; relay: RelayWorld; hand: UpstreamHand
  device(session?: string, name?: string, profile?: string): Promise<Device>
  /** The lease that a device of this session follows. */
  lease(session?: string, profile?: string | null): Lease
  calls(method: string): Record<string, unknown>[]
  cutAll(): void
}

export const DRAFT = 'draft:00000001'
export const answerOf = (view: LiveView): string[] => view.turn?.blocks.flatMap((b) => (b.kind === 'text' ? [b.text.trim()] : [])) ?? []

export type LeaseWorldOptions = Partial<PlayerOptions> & { rewrite?: (direction: 'in' | 'out', text: string) => string[] }

export async function createLeaseWorld({ rewrite, ...options }: LeaseWorldOptions = {}): Promise<LeaseWorld> {
  const clock = createVirtualClock()
  const chance = createSeededChance(7)
  const host = createPlayerHost({ clock, chance: createSeededChance(11), ...options })
  const hand: UpstreamHand = { onFrame: () => 'pass', frozen: false, lost: 0 }
  const transports: FaultTransport[] = []
  const relay = new RelayWorld({ clock, chance, host, wrap: (inner) => {
    const transport = createFaultTransport(inner, hand, rewrite)
    transports.push(transport)
    return transport
  } })
  await relay.start()
  await clock.advance(50)
  const world: LeaseWorld = {
    clock, host, relay, hand,
    device: (session = DRAFT, name = 'Phone', profile) => connect(world, session, name, profile),
    lease(session = DRAFT, profile = null) {
      const lease = relay.registry.find(session, profile)
      if (!lease) throw new Error(`nobody opened ${session}`)
      return lease
    },
    calls: (method) => host.calls.filter((c) => c.method === method).map((c) => c.params),
    cutAll: () => { for (const transport of transports) transport.cutAll() },
  }
  return world
}

async function connect(world: LeaseWorld, session: string, deviceName: string, profile: string | undefined): Promise<Device> {
  let state: AttachState = initialAttach(session)
  const step = (input: AttachInput): void => { [state] = stepAttach(state, input) }
  const frames: LiveRelayFrame[] = []
  const grants = new Set<Grant>(['chat', 'approve', 'manage'])
  const socket: ChannelSession = {
    socketId: deviceName, deviceId: deviceName, deviceName, supports: { live: 1 }, hasGrant: (grant) => grants.has(grant),
    send: (type, payloadJson) => {
      const frame = LiveRelayFrame.parse({ type, payload: JSON.parse(payloadJson) })
      frames.push(frame)
      step({ kind: 'frame', frame, nowMs: world.clock.now() })
    },
  }
  const handle = world.relay.channel.open(socket)
  let written = 0
  const say = async (type: string, payload: Record<string, unknown> = {}): Promise<Said> =>
    (await handle.onFrame({ channel: 'live', type, payload: { session, ...payload } })) ?? undefined
  const device: Device = {
    say, frames, grants,
    write(text, clientMsgId, more = {}) {
      written += 1
      return say('live.submit', { client_msg_id: clientMsgId ?? `message-${written}`, text, ...(profile ? { profile } : {}), ...more })
    },
    attach: () => say('live.attach', profile ? { profile } : {}),
    close: () => handle.onClose(),
    get view() { return state.view },
    get bubbles() { return answerOf(state.view) },
  }
  step({ kind: 'link_up' })
  step({ kind: 'opened' })
  expect(await device.attach()).toBeUndefined()
  return device
}
