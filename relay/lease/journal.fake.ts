/** The journal in memory, for the fault world: survives a killed relay as a disk would, and can be told to fail. */
import { type Journal, MESSAGE_SHOWN, MESSAGE_UNFINISHED, OUTCOMES_MAX, type StoredAsk, type StoredMessage, type StoredSession, type Tombstone } from './journal.ts'
import type { Outcome } from '#protocol/live/live-view.ts'

export type FakeJournal = Journal & { failWith: Error | null; readonly messages: ReadonlyMap<string, StoredMessage>; readonly asks: ReadonlyMap<string, StoredAsk> }

export function createFakeJournal(): FakeJournal {
  const sessions = new Map<string, { session: StoredSession; atMs: number }>()
  const messages = new Map<string, StoredMessage>()
  const asks = new Map<string, StoredAsk>()
  const outcomes = new Map<string, { key: string; outcome: Outcome }>()
  const tombstones = new Map<string, Tombstone>()
  const fake: FakeJournal = {
    failWith: null,
    messages, asks,
    async load(keyOrStoredId) {
      const found = sessions.get(keyOrStoredId) ?? [...sessions.values()].filter((s) => s.session.storedId === keyOrStoredId).sort((a, b) => b.atMs - a.atMs)[0]
      if (!found) return null
      const { key } = found.session
      return structuredClone({
        session: found.session, messages: [...messages.values()].filter((m) => m.key === key && MESSAGE_SHOWN.includes(m.state)).sort((a, b) => a.position - b.position),
        asks: [...asks.values()].filter((a) => a.key === key && isOpen(a)),
        outcomes: [...outcomes.values()].filter((o) => o.key === key).map((o) => o.outcome).sort((a, b) => a.atMs - b.atMs).slice(-OUTCOMES_MAX),
      })
    },
    async unfinished() {
      const keys = [
        ...[...messages.values()].filter((m) => MESSAGE_UNFINISHED.includes(m.state)).map((m) => m.key), ...[...asks.values()].filter(isOpen).map((a) => a.key),
        ...[...sessions.values()].filter((s) => s.session.running).map((s) => s.session.key),
      ]
      return [...new Set(keys)]
    },
    async accept(message) {
      mayFail()
      const known = messages.get(message.clientMsgId)
      if (known) return structuredClone(known)
      messages.set(message.clientMsgId, structuredClone(message))
      return null
    },
    async saveMessage(message) {
      mayFail()
      if (messages.has(message.clientMsgId)) messages.set(message.clientMsgId, structuredClone(message))
    },
    async saveSession(session, nowMs) {
      mayFail()
      sessions.set(session.key, { session: structuredClone(session), atMs: nowMs })
    },
    async saveAsk(ask) {
      mayFail()
      asks.set(ask.view.askId, structuredClone(ask))
    },
    async saveOutcome(key, outcome) {
      mayFail()
      outcomes.set(outcome.turnId, structuredClone({ key, outcome }))
    },
    async prune(beforeMs) {
      for (const [id, m] of messages) if (m.atMs < beforeMs && !MESSAGE_SHOWN.includes(m.state)) messages.delete(id)
      for (const [id, a] of asks) if (!isOpen(a)) asks.delete(id)
      for (const [id, o] of outcomes) if (o.outcome.atMs < beforeMs) outcomes.delete(id)
    },
    async addTombstone(tombstone) {
      mayFail()
      if (!tombstones.has(tombstone.storedId)) tombstones.set(tombstone.storedId, { ...tombstone })
    },
    async removeTombstone(storedId) {
      return tombstones.delete(storedId)
    },
    async tombstones() {
      return [...tombstones.values()].sort((a, b) => a.executeAtMs - b.executeAtMs)
    },
  }
  const mayFail = (): void => {
    if (fake.failWith) throw fake.failWith
  }
  return fake
}

const isOpen = (ask: StoredAsk): boolean => ask.view.state !== 'answered' && ask.view.state !== 'expired'
