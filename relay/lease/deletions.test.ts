import { expect, test } from 'vitest'
import { createPlayerTransport } from '#relay/embedded/player-transport.ts'
import { createLeaseWorld, type LeaseWorld } from '#tests/world/lease-world.ts'
import { createSeededChance } from '#tests/world/seeded-chance.ts'
import { createDeletions, RETRY_MS, TOMBSTONES_MAX, UNDO_MS } from './deletions.ts'

const begin = (world: LeaseWorld) => createDeletions({
  journal: world.relay.journal, transport: createPlayerTransport({ clock: world.clock, chance: createSeededChance(3), host: world.host }), registry: world.relay.registry, clock: world.clock,
  onLog: (line, facts) => world.relay.log.push({ line, facts }),
})
async function seeded() {
  const world = await createLeaseWorld()
  const stored = world.host.seedSession({ title: 'Old', storedId: '20260101_000000_abcdef', rows: [{ role: 'user', content: 'q' }, { role: 'assistant', content: 'a' }] })
  return { world, stored, deletions: begin(world), exists: () => world.host.storedIds.includes(stored) }
}

test('hidden at once, gone after the time to take it back; a second order changes nothing', async () => {
  const { world, stored, deletions, exists } = await seeded()
  const startMs = world.clock.now()
  expect(await deletions.request(stored, null)).toEqual({ ok: true, execute_at_ms: startMs + UNDO_MS })
  expect(deletions.isHidden(stored)).toBe(true)
  await world.clock.advance(4_000)
  expect(await deletions.request(stored, null)).toEqual({ ok: true, execute_at_ms: startMs + UNDO_MS }) // The true time, not a new one.
  await world.clock.advance(UNDO_MS - 4_001)
  expect(exists()).toBe(true)
  await world.clock.advance(100)
  expect(exists()).toBe(false)
  expect(deletions.isHidden(stored)).toBe(false)
  expect(await world.relay.journal.tombstones()).toEqual([])
  expect(await deletions.undo(stored)).toBe(false)
})

test('taken back in time, it stays', async () => {
  const { world, stored, deletions, exists } = await seeded()
  await deletions.request(stored, null)
  await world.clock.advance(UNDO_MS - 1)
  expect(await deletions.undo(stored)).toBe(true)
  expect(deletions.isHidden(stored)).toBe(false)
  await world.clock.advance(60_000)
  expect(exists()).toBe(true)
})

test('the order outlives the relay, and is carried out at its time or as soon as the relay is back', async () => {
  const { world, stored, deletions, exists } = await seeded()
  await deletions.request(stored, null)
  deletions.close()
  await world.clock.advance(UNDO_MS * 2)
  expect(exists()).toBe(true)
  const again = begin(world)
  await again.start()
  expect(again.isHidden(stored)).toBe(true)
  await world.clock.advance(100)
  expect(exists()).toBe(false)
})

test('while Hermes is down it is tried again, stays hidden, and can be taken back between two tries', async () => {
  const { world, stored, deletions, exists } = await seeded()
  const other = world.host.seedSession({ storedId: '20260101_000000_fedcba', rows: [{ role: 'user', content: 'q' }] })
  world.host.kill()
  await deletions.request(stored, null)
  await deletions.request(other, null)
  await world.clock.advance(UNDO_MS + 1_000)
  expect(deletions.isHidden(stored)).toBe(true)
  expect(await deletions.undo(other)).toBe(true)
  world.host.restart()
  await world.clock.advance(RETRY_MS)
  expect(exists()).toBe(false)
  expect(world.host.storedIds).toContain(other)
  expect(deletions.isHidden(stored)).toBe(false)
})

test('a running turn is stopped first; once that began, the delete cannot be taken back by half', async () => {
  const world = await createLeaseWorld()
  const deletions = begin(world)
  const phone = await world.device()
  await phone.write('count 400 100')
  await world.clock.advance(3_000)
  const stored = phone.view.storedId as string
  await deletions.request(stored, null)
  await world.clock.advance(UNDO_MS + 500)
  expect(world.calls('session.interrupt')).toHaveLength(1)
  expect(await deletions.undo(stored)).toBe(false)
  await world.clock.advance(5_000)
  expect(world.host.storedIds).not.toContain(stored)
  expect(world.host.live()).toEqual([])
})

test('what Hermes does not know is gone', async () => {
  const { world, deletions } = await seeded()
  await deletions.request('20990101_000000_000000', 'coder')
  await world.clock.advance(UNDO_MS + 100)
  expect(deletions.isHidden('20990101_000000_000000')).toBe(false)
})

test('an order that cannot be written down is not taken', async () => {
  const { world, stored, deletions } = await seeded()
  world.relay.journal.failWith = Object.assign(new Error('disk is full'), { errcode: 13 })
  await expect(deletions.request(stored, null)).rejects.toThrow('store_full')
  expect(deletions.isHidden(stored)).toBe(false)
})

test('TOMBSTONES_MAX orders wait; one more is not taken, so the caller deletes at once', async () => {
  const { deletions } = await seeded()
  for (let n = 0; n < TOMBSTONES_MAX; n += 1) expect(await deletions.request(`stored-${n}`, null)).not.toBeNull()
  expect(await deletions.request('one-too-many', null)).toBeNull()
  expect(await deletions.request('stored-7', null)).toMatchObject({ ok: true }) // That one waits already.
  deletions.close()
  expect(deletions.isHidden('stored-7')).toBe(false)
})
