/** Everything below one process, and nothing else; a number that has become another process is left alone. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { type Born, descendantsOf, endThose } from './descendants.ts'

const tree: Born[] = [{ pid: 9, parent: 5, bornAt: 'a' }, { pid: 5, parent: 2, bornAt: 'a' }, { pid: 2, parent: 1, bornAt: 'a' }, { pid: 7, parent: 1, bornAt: 'a' }, { pid: 3, parent: 2, bornAt: 'b' }]

test('children and theirs, in whatever order they are listed', () => {
  expect(descendantsOf(2, () => tree).map(({ pid }) => pid).sort()).toEqual([3, 5, 9])
  expect(descendantsOf(7, () => tree)).toEqual([])
  expect(descendantsOf(2, () => { throw new Error('no ps') })).toEqual([])
})
test('only those that are still the same', () => {
  const killed: number[] = []
  endThose([{ pid: 3, parent: 2, bornAt: 'b' }, { pid: 5, parent: 2, bornAt: 'earlier' }, { pid: 99, parent: 2, bornAt: 'a' }], () => tree, (pid) => killed.push(pid))
  expect(killed).toEqual([3])
})
test('a real one that left the group is found and ended', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  const found = descendantsOf(process.pid).filter(({ pid }) => pid === child.pid)
  expect(found).toHaveLength(1)
  const ended = once(child, 'exit')
  endThose(found)
  expect((await ended)[1]).toBe('SIGKILL')
})
