/**
 * What the page has of one conversation: epoch, number of the last event, folded view (lease.md 2, I7). A hole is never painted
 * over: the machine asks again from what it has, and for a snapshot when that does not help. Pure.
 */
import type { LiveRelayFrame } from '#protocol/live/live-frame.ts'
import { emptyView, type LiveView, type NumberedEvent, stepView, type ViewEvent } from '#protocol/live/live-view.ts'

/** Tails asked for in a row without one new event; then a snapshot is asked for. */
export const TAILS_IN_VAIN_MAX = 3
/** Events kept while a stub is fetched; beyond it the machine asks for a snapshot. */
export const HELD_EVENTS_MAX = 1_024

export type AttachPhase = 'detached' | 'attaching' | 'live'
export type AttachState = {
  session: string; phase: AttachPhase; linkUp: boolean; epoch: string | null; seq: number; view: LiveView
  /** Relay clock minus page clock, in ms: deadlines are the relay's. */
  skewMs: number
  /** Number of the event that is being fetched; events behind it wait in `held`. */
  fetching: number | null
  held: NumberedEvent[]
  tailsInVain: number
}

export type AttachInput =
  | { kind: 'opened' } | { kind: 'closed' } | { kind: 'link_up' } | { kind: 'link_down' }
  | { kind: 'frame'; frame: LiveRelayFrame; nowMs: number }
  | { kind: 'fetched'; seq: number; event: ViewEvent } | { kind: 'fetch_failed'; seq: number }

export type AttachEffect =
  | { kind: 'attach'; session: string; epoch: string | null; after: number | null }
  | { kind: 'detach'; session: string }
  | { kind: 'fetch'; seq: number; href: string }

type Step = readonly [AttachState, ...AttachEffect[]]

export const initialAttach = (session: string): AttachState => ({
  session, phase: 'detached', linkUp: false, epoch: null, seq: 0, view: emptyView(session), skewMs: 0, fetching: null, held: [], tailsInVain: 0,
})

export function stepAttach(state: AttachState, input: AttachInput): Step {
  switch (input.kind) {
    case 'opened': return state.phase !== 'detached' ? [state] : ask({ ...state, phase: 'attaching' })
    case 'closed': return state.phase === 'detached' ? [state] : [{ ...state, phase: 'detached', fetching: null, held: [] }, ...(state.linkUp ? [{ kind: 'detach' as const, session: state.session }] : [])]
    case 'link_up': return ask({ ...state, linkUp: true })
    case 'link_down': return [{ ...state, linkUp: false, phase: state.phase === 'detached' ? 'detached' : 'attaching', fetching: null, held: [] }]
    case 'frame': return state.phase === 'detached' || !isMine(state, input.frame) ? [state] : onFrame(state, input.frame, input.nowMs)
    case 'fetched': return state.fetching !== input.seq ? [state] : applyAll({ ...advance(state, input.seq, input.event), fetching: null, held: [] }, state.held)
    case 'fetch_failed': return state.fetching !== input.seq ? [state] : askSnapshot(state)
  }
}

/** A conversation that began as a draft may be called by either name. */
const isMine = (state: AttachState, frame: LiveRelayFrame): boolean =>
  'session' in frame.payload && (frame.payload.session === state.session || (frame.payload.session !== null && frame.payload.session === state.view.storedId))

/** Asks for what is missing; nothing is sent without a link, `link_up` asks again. */
function ask(state: AttachState): Step {
  if (state.phase === 'detached') return [state]
  const next: AttachState = { ...state, phase: 'attaching', fetching: null, held: [] }
  return state.linkUp ? [next, { kind: 'attach', session: state.session, epoch: state.epoch, after: state.epoch === null ? null : state.seq }] : [next]
}

const askSnapshot = (state: AttachState): Step => ask({ ...state, epoch: null, seq: 0, tailsInVain: 0 })
const askTail = (state: AttachState): Step => (state.tailsInVain >= TAILS_IN_VAIN_MAX ? askSnapshot(state) : ask({ ...state, tailsInVain: state.tailsInVain + 1 }))

function onFrame(state: AttachState, frame: LiveRelayFrame, nowMs: number): Step {
  switch (frame.type) {
    case 'live.snapshot': {
      const { epoch, seq, view, now_ms } = frame.payload
      if (state.phase === 'live' && epoch === state.epoch && seq <= state.seq) return [state] // Another tab asked; ours is newer.
      return [{ ...state, phase: 'live', epoch, seq, view, skewMs: now_ms - nowMs, fetching: null, held: [], tailsInVain: 0 }]
    }
    case 'live.events': {
      if (frame.payload.epoch !== state.epoch) return state.phase === 'live' || state.epoch === null ? [state] : askSnapshot(state)
      return applyAll({ ...state, phase: 'live', skewMs: frame.payload.now_ms - nowMs }, frame.payload.events)
    }
    case 'live.event': {
      if (state.phase !== 'live') return [state] // A tail is on its way and will hold it.
      if (frame.payload.epoch !== state.epoch) return askSnapshot(state)
      return applyAll(state, [frame.payload])
    }
    default: return [state]
  }
}

function applyAll(start: AttachState, events: readonly NumberedEvent[]): Step {
  let state = start
  for (const [index, event] of events.entries()) {
    if (state.fetching !== null) {
      const held = [...state.held, ...events.slice(index)]
      return held.length > HELD_EVENTS_MAX ? askSnapshot(state) : [{ ...state, held }]
    }
    if (event.seq <= state.seq) continue // A repeat.
    if (event.seq - event.n > state.seq) return askTail(state) // A hole.
    if (event.seq - event.n < state.seq) return askSnapshot(state) // A merged range that we have in part: it cannot be cut.
    if (event.event.kind === 'stub') {
      const rest = events.slice(index + 1)
      return [{ ...state, fetching: event.seq, held: rest }, { kind: 'fetch', seq: event.seq, href: event.event.href }]
    }
    state = advance(state, event.seq, event.event)
  }
  return [state]
}

const advance = (state: AttachState, seq: number, event: ViewEvent): AttachState => ({ ...state, seq, view: stepView(state.view, event), tailsInVain: 0 })
