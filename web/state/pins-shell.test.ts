/** Pins outlive the page, follow the list, and are refused with words when there are too many. */
import { createRoot, createSignal } from 'solid-js'
import { expect, test } from 'vitest'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { PINS_MAX } from '#web/core/sessions/pins.ts'
import { createMemoryKeyedStore } from '#web/storage/memory-keyed-store.ts'
import { createPinsShell } from './pins-shell.ts'

const session = (sessionId: string, title = sessionId): Session => ({ sessionId, title, preview: '', source: '', model: '', startedAtMs: 0, activeAtMs: 1, messageCount: 1, archived: false, cwd: null })
const turns = async (): Promise<void> => { for (let turn = 0; turn < 20; turn += 1) await Promise.resolve() }
const settings = () => createMemoryKeyedStore<{ value?: unknown }>({ keepMax: null, parse: (raw) => raw as { value?: unknown } }) as never

function visit(kept: never) {
  const [rows, setRows] = createSignal<readonly Session[] | null>(null)
  const [hidden, setHidden] = createSignal<readonly string[]>([])
  const said: string[] = []
  const list = { sessions: () => rows()?.filter((row) => !hidden().includes(row.sessionId)) ?? null, isOld: () => false, hasMore: () => false, isHidden: (id: string) => hidden().includes(id) }
  const pins = createRoot(() => createPinsShell({ settings: kept }, list as never, { show: (text: string) => said.push(text) } as never))
  return { pins, setRows, setHidden, said }
}

test('a pin is there at the next visit, with the name that it has then', async () => {
  const kept = settings()
  const first = visit(kept)
  await turns()
  first.setRows([session('a'), session('b')])
  first.pins.toggle(session('a'))
  first.setRows([session('a', 'renamed'), session('b')])
  await turns()
  const second = visit(kept)
  await turns()
  expect(second.pins.pins()).toEqual([session('a', 'renamed')])
  second.pins.toggle(session('a'))
  await turns()
  const third = visit(kept)
  await turns()
  expect(third.pins.pins()).toEqual([])
})
test('a deleted one is gone at once, comes back when that is undone, and does not come back by a reload', async () => {
  const kept = settings()
  const { pins, setRows, setHidden } = visit(kept)
  await turns()
  setRows([session('a'), session('b')])
  pins.toggle(session('a'))
  setHidden(['a'])
  expect(pins.pins()).toEqual([])
  await turns()
  const reloaded = visit(kept)
  await turns()
  expect(reloaded.pins.pins()).toEqual([])
  setHidden([])
  expect(pins.has('a')).toBe(true)
})
test('one too many is refused with words', async () => {
  const { pins, said } = visit(settings())
  await turns()
  for (let count = 0; count <= PINS_MAX; count += 1) pins.toggle(session(`s${count}`))
  expect(pins.pins()).toHaveLength(PINS_MAX)
  expect(said).toEqual([`${PINS_MAX} conversations are pinned already. Unpin one first.`])
})
