/** Which tab holds the one socket of this browser (law 4, spikes-web.md 6). Locks and time arrive as inputs. Pure. */

/** A leader says that it lives this often, in ms. */
export const BEAT_EVERY_MS = 1_000
/** A visible follower takes the lead after this much silence, in ms. */
export const SILENCE_MAX_MS = 2_500

export type LeaderState = { role: 'follower' | 'leader'; visible: boolean; heardAtMs: number; stealing: boolean }
export type LeaderInput =
  | { kind: 'started'; nowMs: number; visible: boolean } | { kind: 'lock_got' } | { kind: 'lock_robbed'; nowMs: number }
  | { kind: 'beat_heard'; nowMs: number } | { kind: 'ticked'; nowMs: number } | { kind: 'visibility'; visible: boolean; nowMs: number }
  /** A visible tab asks a hidden leader to hand over. */
  | { kind: 'asked_to_hand_over'; nowMs: number }
  | { kind: 'leaving'; nowMs: number }

export type LeaderEffect = { kind: 'request_lock' } | { kind: 'steal_lock' } | { kind: 'release_lock' } | { kind: 'open_socket' } | { kind: 'close_socket' } | { kind: 'beat' } | { kind: 'ask_to_hand_over' }
type Step = readonly [LeaderState, ...LeaderEffect[]]

export const initialLeader: LeaderState = { role: 'follower', visible: true, heardAtMs: 0, stealing: false }

export function stepLeader(state: LeaderState, input: LeaderInput): Step {
  switch (input.kind) {
    case 'started': return [{ ...state, heardAtMs: input.nowMs, visible: input.visible }, { kind: 'request_lock' }]
    case 'lock_got': return state.role === 'leader' ? [state] : [{ ...state, role: 'leader', stealing: false }, { kind: 'open_socket' }, { kind: 'beat' }]
    // The socket goes first: two sockets of one browser would take each other's events for a moment.
    case 'lock_robbed': return state.role === 'leader' ? follow(state, input.nowMs, { kind: 'close_socket' }, { kind: 'request_lock' }) : [{ ...state, stealing: false }]
    case 'beat_heard': return [{ ...state, heardAtMs: input.nowMs }]
    case 'ticked': {
      if (state.role === 'leader') return [state, { kind: 'beat' }]
      const silent = input.nowMs - state.heardAtMs > SILENCE_MAX_MS
      return state.visible && silent && !state.stealing ? [{ ...state, stealing: true, heardAtMs: input.nowMs }, { kind: 'steal_lock' }] : [state]
    }
    case 'visibility': {
      const next = { ...state, visible: input.visible, heardAtMs: input.visible && !state.visible ? input.nowMs : state.heardAtMs } // A thawed tab first listens.
      return input.visible && state.role === 'follower' ? [next, { kind: 'ask_to_hand_over' }] : [next]
    }
    case 'asked_to_hand_over': return state.role === 'leader' && !state.visible ? follow(state, input.nowMs, { kind: 'close_socket' }, { kind: 'release_lock' }, { kind: 'request_lock' }) : [state]
    case 'leaving': return state.role === 'leader' ? follow(state, input.nowMs, { kind: 'close_socket' }, { kind: 'release_lock' }) : [state]
  }
}

const follow = (state: LeaderState, nowMs: number, ...effects: LeaderEffect[]): Step => [{ ...state, role: 'follower', stealing: false, heardAtMs: nowMs }, ...effects]
