/** A name, a place in the archive: changed once, heard by the pins only when it was really changed. */
import { expect, test } from 'vitest'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { sessionDeeds } from './session-deeds.ts'

const SESSION: Session = { sessionId: 's', title: 'Beans', preview: '', source: '', model: '', startedAtMs: 0, activeAtMs: 0, messageCount: 1, archived: false, cwd: null }

function world(answer: boolean, mark: 'running' | null = null) {
  const done: unknown[][] = []
  const deeds = sessionDeeds({
    sessions: {
      mark: () => mark, rename: async (_session, title) => { done.push(['rename', title]); return answer },
      archive: async (_session, isArchived) => { done.push(['archive', isArchived]); return answer }, remove: async () => { done.push(['remove']) },
    },
    pins: { note: ({ title, archived }) => { done.push(['pins', title, archived]) } },
  })
  return { deeds, done }
}

test('a new name is trimmed; none, or the same one, changes nothing', async () => {
  const { deeds, done } = world(true)
  for (const words of ['  Peas ', '', '   ', 'Beans']) await deeds.rename(SESSION, words)
  expect(done).toEqual([['rename', 'Peas'], ['pins', 'Peas', false]])
})
test('the pins hear of the archive, not of the way back', async () => {
  const { deeds, done } = world(true)
  await deeds.archive(SESSION, true)
  await deeds.archive({ ...SESSION, archived: true }, false)
  expect(done).toEqual([['archive', true], ['pins', 'Beans', true], ['archive', false]])
})
test('what was refused is told to nobody', async () => {
  const { deeds, done } = world(false)
  await deeds.rename(SESSION, 'Peas')
  await deeds.archive(SESSION, true)
  expect(done).toEqual([['rename', 'Peas'], ['archive', true]])
})
test('one that is at work is busy', () => {
  expect([world(true, 'running').deeds.isBusy(SESSION), world(true).deeds.isBusy(SESSION)]).toEqual([true, false])
})
