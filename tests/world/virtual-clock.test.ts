import { expect, test } from 'vitest'
import { createSeededChance } from './seeded-chance.ts'
import { createVirtualClock } from './virtual-clock.ts'

test('timers fire in time order, and promises run between two of them', async () => {
  const clock = createVirtualClock(1_000)
  const seen: string[] = []
  clock.setTimer(() => { seen.push('b') }, 20)
  clock.setTimer(() => { seen.push('a'); void Promise.resolve().then(() => Promise.resolve()).then(() => seen.push('after a')) }, 10)
  clock.setTimer(() => { seen.push('c') }, 20)
  const gone = clock.setTimer(() => { seen.push('never') }, 15)
  clock.clearTimer(gone)
  clock.clearTimer(gone)
  expect(clock.pending()).toBe(3)
  await clock.advance(15)
  expect(seen).toEqual(['a', 'after a'])
  expect(clock.now()).toBe(1_015)
  await clock.runUntilIdle()
  expect(seen).toEqual(['a', 'after a', 'b', 'c'])
  expect(clock.pending()).toBe(0)
})

test('a world without rest is an error, not a hang', async () => {
  const clock = createVirtualClock(0)
  const again = (): void => { clock.setTimer(again, 1) }
  again()
  await expect(clock.runUntilIdle({ stepsMax: 100 })).rejects.toThrow('100 timers')
})

test('time order holds for many timers', async () => {
  const clock = createVirtualClock(0)
  const chance = createSeededChance(7)
  const seen: number[] = []
  for (let i = 0; i < 500; i += 1) {
    const atMs = Math.floor(chance.unit() * 1_000)
    clock.setTimer(() => { seen.push(atMs) }, atMs)
  }
  await clock.runUntilIdle()
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

test('a seed repeats', () => {
  const draw = () => { const c = createSeededChance(42); return [c.unit(), c.uuid(), c.token(9), c.unit()] }
  expect(draw()).toEqual(draw())
  expect(draw()[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
