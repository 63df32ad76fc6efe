/** What every journal must do: run by the fake and by SQLite. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { AskView } from '#protocol/turn/ask.ts'
import type { Journal, StoredAsk, StoredMessage, StoredSession } from './journal.ts'

export const message = (patch: Partial<StoredMessage> = {}): StoredMessage => ({
  clientMsgId: 'message-1', key: 'draft:00000001', deviceId: 'd1', deviceName: 'Phone', text: 'hello', state: 'queued', position: 1, baselineRowId: null, rowId: null, resends: 0, reason: null, atMs: 1_000, ...patch,
})
export const session = (patch: Partial<StoredSession> = {}): StoredSession => ({ key: 'draft:00000001', profile: null, storedId: null, liveId: null, running: false, held: false, options: null, ...patch })
const view = (patch: Partial<AskView> = {}): AskView => ({
  askId: 'ask-1', kind: 'approval', state: 'open', title: 'Run?', command: 'ls', description: null, choices: ['once', 'deny'], freeText: false, envVar: null, raisedAtMs: 1, deadlineAtMs: 2, answeredBy: null, answer: null, ...patch,
})
const ask = (patch: Partial<StoredAsk> = {}): StoredAsk => ({ key: 'draft:00000001', view: view(), liveId: 'aa00bb11', requestId: null, via: 'event', choice: null, ...patch })

export function journalSuite(name: string, open: () => Journal): void {
  describe(`journal: ${name}`, () => {
    let journal: Journal
    beforeEach(() => { journal = open() })

    test('a message id is accepted once; a repeat answers what is known, and changes nothing', async () => {
      await journal.saveSession(session(), 1)
      expect(await journal.accept(message())).toBeNull()
      expect(await journal.accept(message({ text: 'other', state: 'steering' }))).toMatchObject({ text: 'hello', state: 'queued' })
      expect((await journal.load('draft:00000001'))?.messages).toEqual([message()])
    })

    test('a repeat is recognised after the message was confirmed or removed', async () => {
      await journal.saveSession(session(), 1)
      await journal.accept(message())
      await journal.saveMessage(message({ state: 'removed' }))
      expect((await journal.load('draft:00000001'))?.messages).toEqual([])
      expect(await journal.accept(message())).toMatchObject({ state: 'removed' })
    })

    test('a conversation is found under its key and its stored id, the newest first', async () => {
      await journal.saveSession(session({ key: 'draft:00000001', storedId: 's1' }), 1)
      await journal.saveSession(session({ key: 's1', storedId: 's1', held: true, options: { model: 'm' } }), 2)
      expect((await journal.load('draft:00000001'))?.session).toEqual(session({ storedId: 's1' }))
      expect((await journal.load('s1'))?.session).toEqual(session({ key: 's1', storedId: 's1', held: true, options: { model: 'm' } }))
      expect(await journal.load('nobody')).toBeNull()
    })

    test('messages come back in the order of the queue', async () => {
      await journal.saveSession(session(), 1)
      for (const [clientMsgId, position] of [['message-a', 3], ['message-b', 1], ['message-c', 2]] as const) await journal.accept(message({ clientMsgId, position }))
      expect((await journal.load('draft:00000001'))?.messages.map((m) => m.clientMsgId)).toEqual(['message-b', 'message-c', 'message-a'])
    })

    test('unfinished: messages on their way, open questions, running turns; nothing else', async () => {
      for (const key of ['k-quiet', 'k-queued', 'k-ask', 'k-running', 'k-failed']) await journal.saveSession(session({ key, running: key === 'k-running' }), 1)
      await journal.accept(message({ clientMsgId: 'message-q', key: 'k-queued' }))
      await journal.accept(message({ clientMsgId: 'message-f', key: 'k-failed', state: 'failed' }))
      await journal.saveAsk(ask({ key: 'k-ask' }))
      expect((await journal.unfinished()).sort()).toEqual(['k-ask', 'k-queued', 'k-running'])
      await journal.saveAsk(ask({ key: 'k-ask', view: view({ state: 'answered' }) }))
      expect(await journal.unfinished()).not.toContain('k-ask')
    })

    test('a question keeps how it is answered; a request of the server too', async () => {
      await journal.saveSession(session(), 1)
      await journal.saveAsk(ask({ requestId: 'r1', choice: 'deny', view: view({ state: 'answering' }) }))
      await journal.saveAsk(ask({ view: view({ askId: 'ask-2' }), requestId: 'srq-1 q1', via: 'request' }))
      expect((await journal.load('draft:00000001'))?.asks).toEqual([
        ask({ requestId: 'r1', choice: 'deny', view: view({ state: 'answering' }) }), ask({ view: view({ askId: 'ask-2' }), requestId: 'srq-1 q1', via: 'request' }),
      ])
    })

    test('outcomes: the last twenty of a conversation, oldest first', async () => {
      await journal.saveSession(session(), 1)
      for (let n = 0; n < 25; n += 1) await journal.saveOutcome('draft:00000001', { turnId: `t${n}`, afterRowId: n, prompt: null, outcome: { status: 'lost', error: null, warning: null }, atMs: n })
      const kept = (await journal.load('draft:00000001'))?.outcomes.map((o) => o.turnId)
      expect(kept).toEqual(Array.from({ length: 20 }, (_, n) => `t${n + 5}`))
    })

    test('prune forgets what settled long ago, never what waits', async () => {
      await journal.saveSession(session(), 1)
      await journal.accept(message({ clientMsgId: 'message-old', state: 'confirmed', atMs: 10 }))
      await journal.accept(message({ clientMsgId: 'message-new', state: 'confirmed', atMs: 100 }))
      await journal.accept(message({ clientMsgId: 'message-waits', atMs: 10 }))
      await journal.prune(50)
      expect(await journal.accept(message({ clientMsgId: 'message-old' }))).toBeNull()
      expect(await journal.accept(message({ clientMsgId: 'message-new' }))).not.toBeNull()
      expect(await journal.accept(message({ clientMsgId: 'message-waits' }))).not.toBeNull()
    })

    test('a tombstone is written once and taken back once', async () => {
      await journal.addTombstone({ storedId: 's1', profile: null, executeAtMs: 5 })
      await journal.addTombstone({ storedId: 's1', profile: null, executeAtMs: 9 })
      expect(await journal.tombstones()).toEqual([{ storedId: 's1', profile: null, executeAtMs: 5 }])
      expect([await journal.removeTombstone('s1'), await journal.removeTombstone('s1')]).toEqual([true, false])
    })
  })
}
