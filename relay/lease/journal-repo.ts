/** The journal in SQLite: the only file that knows the tables of lease-schema.ts. Prepared once; each call is one transaction. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { AskView } from '#protocol/turn/ask.ts'
import { NewChatOptions } from '#protocol/live/live-frame.ts'
import { Outcome } from '#protocol/live/live-view.ts'
import { type Journal, type LoadedLease, MESSAGE_SHOWN, MESSAGE_UNFINISHED, OUTCOMES_MAX, type StoredAsk, type StoredMessage, type StoredMessageState, type StoredSession } from './journal.ts'

type Row = Record<string, unknown>
const words = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(',')

/** @throws the store's error when a write fails; the caller maps it to `store_full` or `store_failed`. */
export function createJournalRepo(db: DatabaseSyncInstance): Journal {
  const sessionByKey = db.prepare('SELECT * FROM lease_session WHERE session_key = ?')
  const sessionByStored = db.prepare('SELECT * FROM lease_session WHERE stored_id = ? ORDER BY updated_at_ms DESC LIMIT 1')
  const shown = db.prepare(`SELECT * FROM message WHERE session_key = ? AND state IN (${words(MESSAGE_SHOWN)}) ORDER BY position`)
  const byId = db.prepare('SELECT * FROM message WHERE client_msg_id = ?')
  const openAsks = db.prepare('SELECT * FROM ask WHERE session_key = ? AND open = 1 ORDER BY rowid')
  const outcomes = db.prepare('SELECT body FROM outcome WHERE session_key = ? ORDER BY at_ms DESC LIMIT ?')
  const unfinished = db.prepare(`SELECT session_key FROM message WHERE state IN (${words(MESSAGE_UNFINISHED)})
    UNION SELECT session_key FROM ask WHERE open = 1 UNION SELECT session_key FROM lease_session WHERE running = 1`)
  const insert = db.prepare(`INSERT INTO message (client_msg_id, session_key, device_id, device_name, text, state, position, baseline_row_id, row_id, resends, reason, at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (client_msg_id) DO NOTHING`)
  const update = db.prepare('UPDATE message SET text = ?, state = ?, position = ?, baseline_row_id = ?, row_id = ?, resends = ?, reason = ? WHERE client_msg_id = ?')
  const upsertSession = db.prepare(`INSERT INTO lease_session (session_key, profile, stored_id, live_id, running, held, options, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_key) DO UPDATE SET profile = excluded.profile, stored_id = excluded.stored_id, live_id = excluded.live_id, running = excluded.running,
    held = excluded.held, options = excluded.options, updated_at_ms = excluded.updated_at_ms`)
  const upsertAsk = db.prepare(`INSERT INTO ask (ask_id, session_key, live_id, request_id, view, choice, open) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (ask_id) DO UPDATE SET view = excluded.view, choice = excluded.choice, open = excluded.open`)
  const insertOutcome = db.prepare('INSERT INTO outcome (turn_id, session_key, body, at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (turn_id) DO UPDATE SET body = excluded.body')
  const trimOutcomes = db.prepare('DELETE FROM outcome WHERE session_key = ? AND turn_id NOT IN (SELECT turn_id FROM outcome WHERE session_key = ? ORDER BY at_ms DESC LIMIT ?)')
  const pruneMessages = db.prepare(`DELETE FROM message WHERE at_ms < ? AND state NOT IN (${words(MESSAGE_SHOWN)})`)
  const pruneAsks = db.prepare('DELETE FROM ask WHERE open = 0')
  const pruneOutcomes = db.prepare('DELETE FROM outcome WHERE at_ms < ?')
  const addTombstone = db.prepare('INSERT INTO delete_tombstone (stored_id, profile, execute_at_ms) VALUES (?, ?, ?) ON CONFLICT (stored_id) DO NOTHING')
  const removeTombstone = db.prepare('DELETE FROM delete_tombstone WHERE stored_id = ?')
  const tombstones = db.prepare('SELECT * FROM delete_tombstone ORDER BY execute_at_ms')

  return {
    async load(keyOrStoredId) {
      const row = (sessionByKey.get(keyOrStoredId) ?? sessionByStored.get(keyOrStoredId)) as Row | undefined
      if (!row) return null
      const session = toSession(row)
      return {
        session, messages: (shown.all(session.key) as Row[]).map(toMessage), asks: (openAsks.all(session.key) as Row[]).flatMap(toAsk),
        outcomes: (outcomes.all(session.key, OUTCOMES_MAX) as Row[]).flatMap(toOutcome).reverse(),
      } satisfies LoadedLease
    },
    async unfinished() {
      return (unfinished.all() as Row[]).map((row) => String(row['session_key']))
    },
    async accept(message) {
      const { changes } = insert.run(
        message.clientMsgId, message.key, message.deviceId, message.deviceName, message.text, message.state, message.position, message.baselineRowId, message.rowId,
        message.resends, message.reason, message.atMs,
      )
      return Number(changes) === 1 ? null : toMessage(byId.get(message.clientMsgId) as Row)
    },
    async saveMessage(m) {
      update.run(m.text, m.state, m.position, m.baselineRowId, m.rowId, m.resends, m.reason, m.clientMsgId)
    },
    async saveSession(s, nowMs) {
      upsertSession.run(s.key, s.profile, s.storedId, s.liveId, s.running ? 1 : 0, s.held ? 1 : 0, s.options ? JSON.stringify(s.options) : null, nowMs)
    },
    async saveAsk(ask) {
      const open = ask.view.state === 'answered' || ask.view.state === 'expired' ? 0 : 1
      upsertAsk.run(ask.view.askId, ask.key, ask.liveId, ask.via === 'request' ? `srq:${ask.requestId}` : ask.requestId, JSON.stringify(ask.view), ask.choice, open)
    },
    async saveOutcome(key, outcome) {
      insertOutcome.run(outcome.turnId, key, JSON.stringify(outcome), outcome.atMs)
      trimOutcomes.run(key, key, OUTCOMES_MAX)
    },
    async prune(beforeMs) {
      pruneMessages.run(beforeMs)
      pruneAsks.run()
      pruneOutcomes.run(beforeMs)
    },
    async addTombstone(t) {
      addTombstone.run(t.storedId, t.profile, t.executeAtMs)
    },
    async removeTombstone(storedId) {
      return Number(removeTombstone.run(storedId).changes) === 1
    },
    async tombstones() {
      return (tombstones.all() as Row[]).map((row) => ({ storedId: String(row['stored_id']), profile: textOrNull(row['profile']), executeAtMs: Number(row['execute_at_ms']) }))
    },
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

function parseJson<T>(schema: { safeParse(raw: unknown): { success: boolean; data?: T } }, value: unknown): T[] {
  if (typeof value !== 'string') return []
  const parsed = schema.safeParse(JSON.parse(value))
  return parsed.success && parsed.data !== undefined ? [parsed.data] : []
}

const toSession = (row: Row): StoredSession => ({
  key: String(row['session_key']), profile: textOrNull(row['profile']), storedId: textOrNull(row['stored_id']), liveId: textOrNull(row['live_id']),
  running: Number(row['running']) === 1, held: Number(row['held']) === 1, options: parseJson(NewChatOptions, row['options'])[0] ?? null,
})
const toMessage = (row: Row): StoredMessage => ({
  clientMsgId: String(row['client_msg_id']), key: String(row['session_key']), deviceId: String(row['device_id']), deviceName: String(row['device_name']), text: String(row['text']),
  state: String(row['state']) as StoredMessageState, position: Number(row['position']), baselineRowId: numberOrNull(row['baseline_row_id']), rowId: numberOrNull(row['row_id']),
  resends: Number(row['resends']), reason: textOrNull(row['reason']), atMs: Number(row['at_ms']),
})
const toOutcome = (row: Row): Outcome[] => parseJson(Outcome, row['body'])
function toAsk(row: Row): StoredAsk[] {
  const requestId = textOrNull(row['request_id'])
  const via = requestId?.startsWith('srq:') ? 'request' : 'event'
  return parseJson(AskView, row['view']).map((view) => ({
    key: String(row['session_key']), view, liveId: String(row['live_id']), requestId: via === 'request' ? (requestId as string).slice(4) : requestId, via, choice: textOrNull(row['choice']),
  }))
}
