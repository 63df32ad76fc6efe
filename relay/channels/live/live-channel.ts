/**
 * The `live` channel: devices follow conversations and speak to them (lease.md 2). Frames in, lease commands out; the lease
 * decides. A closing socket only stops following: it never touches a running turn.
 */
import type { Envelope } from '#protocol/envelope/envelope.ts'
import { LiveClientFrame, type LiveRelayFrame, MESSAGE_BYTES_MAX } from '#protocol/live/live-frame.ts'
import { unreachable } from '#protocol/refusal/refusal.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Channel, ChannelHandle, ChannelRefusal, ChannelSession } from '../../hub/channel.ts'
import { retryPrompt } from '../../lease/lease-retry.ts'
import type { Lease, Settled, Subscriber } from '../../lease/lease.ts'
import type { LeaseRegistry } from '../../lease/lease-registry.ts'

/** Conversations that one socket may follow at once. */
export const FOLLOWED_MAX = 64

export type LiveChannel = Channel & { /** Marks in the list changed: every socket is told, at most once in a while. */ activityChanged(): void; close(): void }

type Followed = { lease: Lease; subscriber: Subscriber }
const ACTIVITY_MS = 100

export function createLiveChannel(deps: { registry: () => LeaseRegistry; clock: Clock }): LiveChannel {
  const sessions = new Set<ChannelSession>()
  let timer: ReturnType<Clock['setTimer']> | null = null
  let sent = ''
  const activity = (): string => JSON.stringify({ sessions: deps.registry().leases.flatMap((lease) => {
    const state = lease.activity
    return state ? [{ session: lease.view.storedId ?? lease.view.session, state, title: lease.view.title }] : []
  }) } satisfies Extract<LiveRelayFrame, { type: 'live.activity' }>['payload'])
  const tell = (): void => {
    timer = null
    const json = activity()
    if (json === sent) return
    sent = json
    for (const session of sessions) session.send('live.activity', json)
  }
  return {
    name: 'live',
    grant: 'chat',
    open(session) {
      sessions.add(session)
      session.send('live.activity', activity())
      const handle = openHandle(deps, session)
      return { onFrame: handle.onFrame, onClose: () => { sessions.delete(session); handle.onClose() } }
    },
    activityChanged: () => { timer ??= deps.clock.setTimer(tell, ACTIVITY_MS) },
    close: () => { if (timer) deps.clock.clearTimer(timer) },
  }
}

function openHandle(deps: { registry: () => LeaseRegistry; clock: Clock }, session: ChannelSession): ChannelHandle {
  const followed = new Map<string, Followed>()
  /** Only attach and submit name a profile; every other frame means the conversation that this socket follows under that name. */
  const profileOf = (frame: { session: string; profile?: string | undefined }): string | null => frame.profile ?? followed.get(frame.session)?.lease.profile ?? null
  const leaseOf = async (frame: { session: string }): Promise<Lease | null> => followed.get(frame.session)?.lease ?? deps.registry().open(frame.session, null)
  const unfollow = (name: string): void => {
    const known = followed.get(name)
    followed.delete(name)
    known?.lease.unsubscribe(known.subscriber)
  }
  const command = async (frame: { session: string }, make: Parameters<Lease['command']>[0]): Promise<ChannelRefusal | void> => {
    const lease = await leaseOf(frame)
    return lease ? refusalOf(await lease.command(make)) : { code: 'lease_limit' }
  }

  const onFrame = async (raw: Envelope): Promise<ChannelRefusal | void> => {
    const parsed = LiveClientFrame.safeParse(raw)
    if (!parsed.success) return { code: 'frame_malformed', detail: { path: parsed.error.issues[0]?.path.join('.') ?? '' } }
    const { type, payload } = parsed.data
    switch (type) {
      case 'live.attach': return attach(payload)
      case 'live.detach': return unfollow(payload.session)
      case 'live.submit': return payload.attachments.length > 0 ? { code: 'attachments_unsupported' } : submit(payload, raw.id)
      case 'live.steer': return submit(payload, raw.id, { steer: true })
      case 'live.answer':
        if (!session.hasGrant('approve')) return { code: 'grant_missing', detail: { grant: 'approve' } }
        return command(payload, (cmd) => ({ kind: 'ask_answered', askId: payload.ask_id, answer: payload.answer, device: session.deviceName, cmd }))
      case 'live.stop': return command(payload, (cmd) => ({ kind: 'stop_pressed', cmd }))
      case 'live.queue.edit': return Buffer.byteLength(payload.text) > MESSAGE_BYTES_MAX ? { code: 'message_too_long' } : command(payload, (cmd) => ({ kind: 'message_edited', clientMsgId: payload.client_msg_id, text: payload.text, cmd }))
      case 'live.queue.move': return command(payload, (cmd) => ({ kind: 'message_moved', clientMsgId: payload.client_msg_id, before: payload.before, cmd }))
      case 'live.queue.remove': return command(payload, (cmd) => ({ kind: 'message_removed', clientMsgId: payload.client_msg_id, cmd }))
      case 'live.queue.release': return command(payload, (cmd) => ({ kind: 'queue_released', cmd }))
      case 'live.resolve': return command(payload, (cmd) => ({ kind: 'message_resolved', clientMsgId: payload.client_msg_id, verdict: payload.verdict, cmd }))
      case 'live.takeover': return command(payload, (cmd) => ({ kind: 'takeover_pressed', cmd }))
      case 'live.retry': {
        const lease = await leaseOf(payload)
        const text = lease ? retryPrompt(lease.view, payload.turn_id) : null
        return text === null ? { code: 'turn_not_retryable' } : submit({ ...payload, text }, raw.id, { retryOf: payload.turn_id })
      }
      case 'live.configure':
        if (payload.yolo === true && !session.hasGrant('approve')) return { code: 'grant_missing', detail: { grant: 'approve' } }
        return command(payload, (cmd) => ({ kind: 'settings_chosen', model: payload.model ?? null, provider: payload.provider ?? null, yolo: payload.yolo ?? null, cmd }))
      default: return unreachable(type)
    }
  }

  const attach = async (payload: { session: string; profile?: string | undefined; epoch?: string | undefined; after?: number | undefined }): Promise<ChannelRefusal | void> => {
    const name = payload.session
    unfollow(name)
    if (followed.size >= FOLLOWED_MAX) return { code: 'lease_limit' }
    const lease = await deps.registry().open(payload.session, payload.profile ?? null)
    if (!lease) return { code: 'lease_limit' }
    const head = `{"session":${JSON.stringify(payload.session)},"epoch":${JSON.stringify(lease.epoch)},`
    const subscriber: Subscriber = { name, event: (_seq, _n, json) => session.send('live.event', head + json.slice(1)) }
    const start = lease.subscribe(subscriber, payload.epoch ?? null, payload.after ?? null)
    followed.set(name, { lease, subscriber })
    if (start.kind === 'events') session.send('live.events', `${head}"now_ms":${deps.clock.now()},"events":[${start.events.join(',')}]}`)
    else session.send('live.snapshot', `${head}"seq":${start.seq},"now_ms":${deps.clock.now()},"view":${JSON.stringify({ ...start.view, session: payload.session })}}`)
  }

  const submit = async (
    payload: { session: string; profile?: string | undefined; client_msg_id: string; text: string; options?: Extract<LiveClientFrame, { type: 'live.submit' }>['payload']['options'] },
    envelopeId: string | undefined, how: { steer?: true; retryOf?: string } = {},
  ): Promise<ChannelRefusal | void> => {
    const accepted = await deps.registry().submit({
      session: payload.session, profile: profileOf(payload), clientMsgId: payload.client_msg_id, text: payload.text, deviceId: session.deviceId, deviceName: session.deviceName,
      options: payload.options ?? null, steer: how.steer === true, ...(how.retryOf ? { retryOf: how.retryOf } : {}),
    })
    if (accepted.kind === 'refused') return { code: accepted.code }
    const body: Extract<LiveRelayFrame, { type: 'live.accepted' }>['payload'] = { session: payload.session, client_msg_id: payload.client_msg_id, state: accepted.state, duplicate: accepted.duplicate }
    session.send('live.accepted', JSON.stringify(body), envelopeId)
  }

  return { onFrame, onClose: () => { for (const name of [...followed.keys()]) unfollow(name) } }
}

const refusalOf = (settled: Settled): ChannelRefusal | undefined => (settled.refusal ? { code: settled.refusal, ...(settled.detail ? { detail: settled.detail } : {}) } : undefined)
