/** One Hermes at most, started again within bounds, and gone when it is not wanted: for any order of events. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BACKOFF_FIRST_MS, BACKOFF_MS_MAX, KILL_AFTER_MS, RESTARTS_MAX, RESTARTS_WITHIN_MS, START_WITHIN_MS, SUPERVISED, stepSupervised, type Supervised, type SuperviseEffect, type SuperviseInput } from './supervise-core.ts'

/** Carries out orders as the shell does: at most one process and one timer. */
function world() {
  let state: Supervised = SUPERVISED
  const now = { atMs: 0, lives: false, timerMs: null as number | null, spawnsAtMs: [] as number[], said: [] as string[], kills: 0 }
  const carry = (effect: SuperviseEffect): void => {
    if (effect.kind === 'spawn') {
      expect(now.lives).toBe(false) // Two on one home would tear it apart.
      now.lives = true
      now.spawnsAtMs.push(now.atMs)
    }
    if (effect.kind === 'timer') now.timerMs = effect.delayMs
    if (effect.kind === 'no_timer') now.timerMs = null
    if (effect.kind === 'kill') now.kills += 1
    if (effect.kind === 'say') now.said.push(effect.what)
  }
  const step = (input: SuperviseInput): void => {
    const [next, ...effects] = stepSupervised(state, input)
    state = next
    for (const effect of effects) carry(effect)
  }
  return {
    now, phase: () => state.phase,
    want: () => step({ kind: 'wanted' }), unwant: () => step({ kind: 'unwanted' }), answer: () => { if (now.lives) step({ kind: 'answered' }) },
    exit() {
      if (!now.lives) return
      now.lives = false
      step({ kind: 'exited', nowMs: now.atMs })
    },
    fire() {
      if (now.timerMs === null) return
      now.atMs += now.timerMs
      now.timerMs = null
      step({ kind: 'timer' })
    },
  }
}

test('five crashes in ten minutes are forgiven, with longer and longer pauses; the sixth is for a person', () => {
  const one = world()
  one.want()
  const pauses: (number | null)[] = []
  for (let n = 0; n < RESTARTS_MAX; n += 1) {
    one.answer()
    one.exit()
    pauses.push(one.now.timerMs)
    one.fire()
  }
  expect(pauses).toEqual([BACKOFF_FIRST_MS, 1_000, 2_000, 4_000, BACKOFF_MS_MAX])
  one.exit()
  expect([one.phase(), one.now.timerMs, one.now.spawnsAtMs.length]).toEqual(['gave_up', null, RESTARTS_MAX + 1])
  one.want()
  expect([one.phase(), one.now.lives]).toEqual(['starting', true])
})
test('crashes far apart never use the forgiveness up', () => {
  const one = world()
  one.want()
  for (let n = 0; n < 20; n += 1) {
    one.answer()
    one.now.atMs += RESTARTS_WITHIN_MS
    one.exit()
    one.fire()
  }
  expect([one.phase(), one.now.lives]).toEqual(['starting', true])
})
test('asked to end: first asked, then killed; one that never answered counts as a crash', () => {
  const one = world()
  one.want()
  one.answer()
  one.unwant()
  expect([one.phase(), one.now.timerMs]).toEqual(['stopping', KILL_AFTER_MS])
  one.fire()
  expect(one.now.kills).toBe(1)
  one.exit()
  expect([one.phase(), one.now.said.at(-1)]).toEqual(['off', 'ended'])
  const deaf = world()
  deaf.want()
  expect(deaf.now.timerMs).toBe(START_WITHIN_MS)
  deaf.fire()
  deaf.exit()
  expect([deaf.phase(), deaf.now.said]).toEqual(['waiting', ['restarting']])
})
test('in any order: never two, never more starts in ten minutes than allowed, and at the end nothing is left', () => {
  const deed = fc.constantFrom('want', 'answer', 'exit', 'fire', 'unwant', 'exit', 'fire', 'answer')
  fc.assert(fc.property(fc.array(deed, { maxLength: 120 }), (deeds) => {
    const one = world()
    let wants = 0
    for (const what of deeds) {
      if (what === 'want') wants += 1
      one[what as 'want']()
    }
    for (const atMs of one.now.spawnsAtMs) expect(one.now.spawnsAtMs.filter((other) => other >= atMs && other < atMs + RESTARTS_WITHIN_MS).length).toBeLessThanOrEqual((RESTARTS_MAX + 1) * Math.max(1, wants))
    one.unwant()
    one.fire()
    one.exit()
    expect([one.phase(), one.now.lives, one.now.timerMs]).toEqual(['off', false, null])
  }), { numRuns: 500 })
})
