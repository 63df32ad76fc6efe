/** Order per channel, independence between channels, and the bound. */
import { expect, test } from 'vitest'
import { Inbox, WAITING_FRAMES_MAX } from './inbox.ts'

test('a channel goes one by one; another does not wait for it', async () => {
  const inbox = new Inbox({ pause() {}, resume() {} })
  const done: string[] = []
  let open = () => {}
  const gate = new Promise<void>((resolve) => { open = resolve })
  inbox.add('live', async () => { await gate; done.push('live 1') })
  inbox.add('live', async () => { done.push('live 2') })
  inbox.add('system', async () => { done.push('ping') })
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual(['ping'])
  open()
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual(['ping', 'live 1', 'live 2'])
  expect(inbox.waiting).toBe(0)
})

test('reading stops at WAITING_FRAMES_MAX and goes on when half are done', async () => {
  const calls: string[] = []
  const inbox = new Inbox({ pause: () => calls.push('pause'), resume: () => calls.push(`resume at ${inbox.waiting}`) })
  const gates: (() => void)[] = []
  for (let n = 0; n < WAITING_FRAMES_MAX; n++) {
    expect(calls).toEqual([])
    inbox.add('live', () => new Promise((resolve) => { gates.push(resolve) }))
  }
  expect(calls).toEqual(['pause'])
  while (calls.length < 2) {
    gates.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(calls).toEqual(['pause', `resume at ${WAITING_FRAMES_MAX / 2 - 1}`])
})
