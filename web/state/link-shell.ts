/** The link to the relay as the page sees it: its state, who we are, which conversations are busy; frames parsed once, here. */
import { createSignal } from 'solid-js'
import type { Envelope } from '#protocol/envelope/envelope.ts'
import { type Activity, type LiveClientFrame, LiveRelayFrame } from '#protocol/live/live-frame.ts'
import type { LinkState, RelaySocket, Welcome } from '#web/net/relay/relay-socket.ts'
import { createTabLink } from '#web/net/tabs/tab-link.ts'
import { newId } from '#web/platform/clock.ts'

export type Refusal = { say: string; next: string; code: string }
/** Requests whose refusal is awaited; older ones are forgotten. */
const AWAITED_MAX = 256
const OFFLINE: Refusal = { code: 'offline', say: 'The relay is not connected.', next: 'It is sent when you try again after the connection is back.' }

export type LinkShell = ReturnType<typeof createLinkShell>

export function createLinkShell(openSocket: (handlers: { onState(state: LinkState): void; onFrame(envelope: Envelope): void }) => RelaySocket) {
  const [link, setLink] = createSignal<LinkState>({ kind: 'off' })
  const [welcome, setWelcome] = createSignal<Welcome | null>(null)
  const [activity, setActivity] = createSignal<readonly Activity[]>([])
  const [unknownFrames, setUnknownFrames] = createSignal(0)
  const listeners = new Set<(frame: LiveRelayFrame) => void>()
  const linkListeners = new Set<(up: boolean) => void>()
  const awaited = new Map<string, (refusal: Refusal) => void>()
  let up = false

  const tabs = createTabLink({
    openSocket,
    onState(state) {
      setLink(state)
      if (state.kind === 'open') setWelcome(state.welcome)
      const isUp = state.kind === 'open'
      // A new leader says `open` again: its socket knows none of our conversations.
      if (isUp || up !== isUp) for (const listener of linkListeners) listener(isUp)
      up = isUp
    },
    onFrame(envelope) {
      if (envelope.channel !== 'live') return
      const parsed = LiveRelayFrame.safeParse({ type: envelope.type, payload: envelope.payload })
      if (!parsed.success) { setUnknownFrames((count) => count + 1); return }
      const frame = parsed.data
      if (frame.type === 'live.activity') setActivity(frame.payload.sessions)
      if (frame.type === 'live.refused' && envelope.id) awaited.get(envelope.id)?.({ code: frame.payload.code, say: frame.payload.say, next: frame.payload.next })
      for (const listener of listeners) listener(frame)
    },
  })

  return {
    link, welcome, activity, unknownFrames, mode: tabs.mode,
    start: () => tabs.start(), stop: () => tabs.stop(), nudge: () => tabs.nudge(),
    isUp: () => up,
    /** Sends a frame of the live channel; a refusal, also "not connected", comes to `onRefused`. */
    send(frame: LiveClientFrame, onRefused?: (refusal: Refusal) => void): void {
      const id = newId()
      if (onRefused) {
        awaited.set(id, onRefused)
        if (awaited.size > AWAITED_MAX) awaited.delete(awaited.keys().next().value ?? '')
      }
      if (!tabs.send({ channel: 'live', type: frame.type, id, payload: frame.payload })) onRefused?.(OFFLINE)
    },
    listen(listener: (frame: LiveRelayFrame) => void): () => void { listeners.add(listener); return () => listeners.delete(listener) },
    onLink(listener: (up: boolean) => void): () => void { linkListeners.add(listener); listener(up); return () => linkListeners.delete(listener) },
  }
}
