/**
 * One socket for all tabs of a browser (law 4): the leader owns it, followers hear its frames over a BroadcastChannel and send
 * through it. Without Web Locks (plain LAN http, ruling 17) every tab has its own socket; `mode` says so.
 */
import type { Envelope } from '#protocol/envelope/envelope.ts'
import { BEAT_EVERY_MS, initialLeader, type LeaderEffect, type LeaderInput, stepLeader } from '#web/core/leader/leader.ts'
import { newId, nowMs } from '#web/platform/clock.ts'
import { isVisible, onNudge } from '#web/platform/presence.ts'
import type { LinkState, RelaySocket } from '../relay/relay-socket.ts'

const LOCK = 'hermes-leader'
const CHANNEL = 'hermes-tabs'

export type TabLink = {
  mode: 'shared' | 'alone'
  start(): void
  stop(): void
  nudge(): void
  /** False when it certainly did not leave this browser. */
  send(envelope: Envelope): boolean
}
export type TabLinkDeps = { openSocket(handlers: { onState(state: LinkState): void; onFrame(envelope: Envelope): void }): RelaySocket; onState(state: LinkState): void; onFrame(envelope: Envelope): void }

type Note =
  | { kind: 'beat' | 'hello' | 'hand_over' | 'nudge' | 'bye' } | { kind: 'state'; state: LinkState } | { kind: 'frame'; envelope: Envelope } | { kind: 'send'; envelope: Envelope }
type Posted = Note & { from: string; term: number }

export function createTabLink(deps: TabLinkDeps): TabLink {
  const canShare = typeof BroadcastChannel !== 'undefined' && Boolean(globalThis.navigator?.locks)
  return canShare ? createSharedLink(deps) : createLoneLink(deps)
}

function createLoneLink({ openSocket, onState, onFrame }: TabLinkDeps): TabLink {
  const socket = openSocket({ onState, onFrame })
  return { mode: 'alone', start: socket.start, stop: socket.stop, nudge: socket.nudge, send: socket.send }
}

function createSharedLink({ openSocket, onState, onFrame }: TabLinkDeps): TabLink {
  const tabId = newId()
  const channel = new BroadcastChannel(CHANNEL)
  const viewers = createViewers()
  let leader = initialLeader
  let term = 0
  let state: LinkState = { kind: 'off' }
  let releaseLock: (() => void) | null = null
  let lockWish: AbortController | null = null
  let ticker: ReturnType<typeof setInterval> | undefined
  const post = (note: Note): void => channel.postMessage({ ...note, from: tabId, term } satisfies Posted)
  const tell = (next: LinkState): void => { state = next; onState(next) }

  const socket = openSocket({
    onState(next) { if (leader.role === 'leader') { tell(next); post({ kind: 'state', state: next }) } },
    onFrame(envelope) { if (leader.role === 'leader') { onFrame(envelope); post({ kind: 'frame', envelope }) } },
  })
  const give = (input: LeaderInput): void => {
    const [next, ...effects] = stepLeader(leader, input)
    leader = next
    for (const effect of effects) carry(effect)
  }
  const carry = (effect: LeaderEffect): void => {
    switch (effect.kind) {
      case 'request_lock': return wish(false)
      case 'steal_lock': return wish(true)
      case 'release_lock': releaseLock?.(); releaseLock = null; return
      case 'open_socket': term = Math.max(term + 1, nowMs()); viewers.clear(); socket.start(); return
      // A frozen leader wakes up robbed: what its follower said meanwhile was not for a leader's ears, so it asks again.
      case 'close_socket': socket.stop(); tell({ kind: 'connecting', attempt: 1 }); return post({ kind: 'hello' })
      case 'beat': return post({ kind: 'beat' })
      case 'ask_to_hand_over': return post({ kind: 'hand_over' })
    }
  }
  const wish = (steal: boolean): void => {
    lockWish?.abort()
    const wished = new AbortController()
    lockWish = wished
    // `steal` takes no signal. The promise ends by release (fine), abort (a newer wish) or robbery.
    navigator.locks.request(LOCK, steal ? { steal: true } : { signal: wished.signal }, () => new Promise<void>((release) => {
      releaseLock = release
      give({ kind: 'lock_got' })
    })).catch(() => { if (lockWish === wished || steal) give({ kind: 'lock_robbed', nowMs: nowMs() }) })
  }

  channel.onmessage = ({ data }: MessageEvent<Posted>) => {
    const fromLeader = data.kind === 'beat' || data.kind === 'state' || data.kind === 'frame'
    if (fromLeader) {
      if (data.term < term || leader.role === 'leader') return // A late word of a robbed leader.
      term = data.term
      give({ kind: 'beat_heard', nowMs: nowMs() })
    }
    switch (data.kind) {
      case 'state': return tell(data.state)
      case 'frame': return onFrame(data.envelope)
      case 'hello': if (leader.role === 'leader') post({ kind: 'state', state }); return
      case 'send': if (leader.role === 'leader' && viewers.mayPass(data.from, data.envelope)) socket.send(data.envelope); return
      case 'bye': if (leader.role === 'leader') for (const session of viewers.leave(data.from)) socket.send(detachFrame(session)); return
      case 'nudge': if (leader.role === 'leader') socket.nudge(); return
      case 'hand_over': return give({ kind: 'asked_to_hand_over', nowMs: nowMs() })
    }
  }
  const onVisibility = (): void => give({ kind: 'visibility', visible: isVisible(), nowMs: nowMs() })
  const onLeave = (): void => { post({ kind: 'bye' }); give({ kind: 'leaving', nowMs: nowMs() }) }
  const onReturn = (event: PageTransitionEvent): void => { if (event.persisted) give({ kind: 'started', nowMs: nowMs(), visible: isVisible() }) }
  let forgetNudge: (() => void) | null = null

  return {
    mode: 'shared',
    start() {
      tell({ kind: 'connecting', attempt: 1 })
      document.addEventListener('visibilitychange', onVisibility)
      document.addEventListener('freeze', onLeave)
      document.addEventListener('resume', () => give({ kind: 'started', nowMs: nowMs(), visible: isVisible() }))
      window.addEventListener('pagehide', onLeave)
      window.addEventListener('pageshow', onReturn)
      ticker = setInterval(() => give({ kind: 'ticked', nowMs: nowMs() }), BEAT_EVERY_MS)
      forgetNudge = onNudge(() => this.nudge())
      post({ kind: 'hello' })
      give({ kind: 'started', nowMs: nowMs(), visible: isVisible() })
    },
    stop() {
      onLeave()
      lockWish?.abort()
      clearInterval(ticker)
      forgetNudge?.()
      document.removeEventListener('visibilitychange', onVisibility)
      window.removeEventListener('pagehide', onLeave)
      window.removeEventListener('pageshow', onReturn)
    },
    nudge() { if (leader.role === 'leader') socket.nudge(); else post({ kind: 'nudge' }) },
    send(envelope) {
      if (state.kind !== 'open') return false
      if (leader.role === 'leader') return viewers.mayPass(tabId, envelope) ? socket.send(envelope) : true
      post({ kind: 'send', envelope })
      return true
    },
  }
}

const detachFrame = (session: string): Envelope => ({ channel: 'live', type: 'live.detach', payload: { session } })

/** Which tabs look at which conversation: the relay hears `detach` only from the last of them. */
function createViewers() {
  const bySession = new Map<string, Set<string>>()
  const drop = (session: string, tab: string): boolean => {
    const tabs = bySession.get(session)
    tabs?.delete(tab)
    if (tabs && tabs.size > 0) return false
    bySession.delete(session)
    return true
  }
  return {
    clear: () => bySession.clear(),
    mayPass(tab: string, { type, payload }: Envelope): boolean {
      const session = payload['session']
      if (typeof session !== 'string') return true
      if (type === 'live.attach') bySession.set(session, (bySession.get(session) ?? new Set()).add(tab))
      return type !== 'live.detach' || drop(session, tab)
    },
    leave: (tab: string): string[] => [...bySession].filter(([, tabs]) => tabs.has(tab)).map(([session]) => session).filter((session) => drop(session, tab)),
  }
}
