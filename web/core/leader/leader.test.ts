import { expect, test } from 'vitest'
import { initialLeader, SILENCE_MAX_MS, stepLeader } from './leader.ts'

const follower = stepLeader(initialLeader, { kind: 'started', nowMs: 0, visible: true })[0]
const leader = stepLeader(follower, { kind: 'lock_got' })[0]

test('the lock makes a leader, which opens the socket and beats', () => {
  expect(stepLeader(follower, { kind: 'lock_got' }).slice(1)).toEqual([{ kind: 'open_socket' }, { kind: 'beat' }])
  expect(stepLeader(leader, { kind: 'ticked', nowMs: 1 })[1]).toEqual({ kind: 'beat' })
})

test('a visible follower steals after silence, once; a hidden one never', () => {
  const at = SILENCE_MAX_MS + 1
  const [stealing, effect] = stepLeader(follower, { kind: 'ticked', nowMs: at })
  expect(effect).toEqual({ kind: 'steal_lock' })
  expect(stepLeader(stealing, { kind: 'ticked', nowMs: at * 2 })).toHaveLength(1)
  const hidden = stepLeader(follower, { kind: 'visibility', visible: false, nowMs: 0 })[0]
  expect(stepLeader(hidden, { kind: 'ticked', nowMs: at })).toHaveLength(1)
  expect(stepLeader(follower, { kind: 'ticked', nowMs: SILENCE_MAX_MS })).toHaveLength(1)
})

test('a robbed leader closes its socket before anything else', () => {
  expect(stepLeader(leader, { kind: 'lock_robbed', nowMs: 9 }).slice(1)).toEqual([{ kind: 'close_socket' }, { kind: 'request_lock' }])
})

test('a hidden leader hands over when a visible tab asks, a visible one does not', () => {
  expect(stepLeader(leader, { kind: 'asked_to_hand_over', nowMs: 1 })).toHaveLength(1)
  const hidden = stepLeader(leader, { kind: 'visibility', visible: false, nowMs: 1 })[0]
  expect(stepLeader(hidden, { kind: 'asked_to_hand_over', nowMs: 2 }).slice(1)).toEqual([{ kind: 'close_socket' }, { kind: 'release_lock' }, { kind: 'request_lock' }])
})

test('a tab that thaws listens before it judges the silence', () => {
  const hidden = stepLeader(follower, { kind: 'visibility', visible: false, nowMs: 0 })[0]
  const [back, ask] = stepLeader(hidden, { kind: 'visibility', visible: true, nowMs: 60_000 })
  expect(ask).toEqual({ kind: 'ask_to_hand_over' })
  expect(stepLeader(back, { kind: 'ticked', nowMs: 60_100 })).toHaveLength(1)
})
