/** The agent's conversations in SQLite. Each call is one statement or one transaction; ids of rows only rise, over all conversations. */
import { type Database, inTransaction, storeRefusal } from '#relay/store/database.ts'
import { createSearch, type Search } from '../row-search.ts'

export type WireCall = { id: string; call_id: string; type: 'function'; function: { name: string; arguments: string } }
export type AgentRow = {
  id: number; role: 'user' | 'assistant' | 'tool'; content: string; reasoning: string | null; tool_calls: WireCall[] | null; tool_call_id: string | null; tool_name: string | null
  finish_reason: string | null; atMs: number
}
export type NewRow = Pick<AgentRow, 'role' | 'content'> & Partial<Omit<AgentRow, 'id' | 'atMs'>>
export type AgentSession = {
  storedId: string; title: string; source: string; model: string; archived: boolean; startedAtMs: number; activeAtMs: number; inputTokens: number; outputTokens: number; contextUsed: number
}
/** A conversation as lists show it. */
export type SessionGlance = AgentSession & { messageCount: number; toolCount: number; preview: string }
export type SearchHit = { session: AgentSession; row: AgentRow }
export type ListFilter = { archived: 'exclude' | 'only' | 'include'; order: 'created' | 'recent'; messagesMin: number; limit: number; offset: number }

/** Longest text that a preview shows, in UTF-16 units. */
const PREVIEW_CHARS = 60
/** What a tool says whose end nobody saw. */
export const STOPPED_IN_TOOL = 'The relay stopped while this ran. Whether it finished is unknown.'

type Raw = Record<string, unknown>
const num = (value: unknown): number => Number(value)
const nullable = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const toSession = (raw: Raw): AgentSession => ({
  storedId: String(raw['stored_id']), title: String(raw['title']), source: String(raw['source']), model: String(raw['model']), archived: num(raw['archived']) === 1,
  startedAtMs: num(raw['started_at_ms']), activeAtMs: num(raw['active_at_ms']), inputTokens: num(raw['input_tokens']), outputTokens: num(raw['output_tokens']), contextUsed: num(raw['context_used']),
})
const toGlance = (raw: Raw): SessionGlance => {
  const first = nullable(raw['preview']) ?? ''
  return { ...toSession(raw), messageCount: num(raw['message_count']), toolCount: num(raw['tool_count']), preview: first.length > PREVIEW_CHARS ? `${first.slice(0, PREVIEW_CHARS)}...` : first }
}
const toRow = (raw: Raw): AgentRow => ({
  id: num(raw['row_id']), role: raw['role'] as AgentRow['role'], content: String(raw['content']), reasoning: nullable(raw['reasoning']),
  tool_calls: typeof raw['tool_calls'] === 'string' ? (JSON.parse(raw['tool_calls']) as WireCall[]) : null, tool_call_id: nullable(raw['tool_call_id']), tool_name: nullable(raw['tool_name']),
  finish_reason: nullable(raw['finish_reason']), atMs: num(raw['at_ms']),
})

const GLANCE = `SELECT s.*, (SELECT count(*) FROM agent_message m WHERE m.stored_id = s.stored_id) AS message_count,
  (SELECT count(*) FROM agent_message m WHERE m.stored_id = s.stored_id AND m.role = 'tool') AS tool_count,
  (SELECT substr(m.content, 1, ${PREVIEW_CHARS + 1}) FROM agent_message m WHERE m.stored_id = s.stored_id AND m.role = 'user' ORDER BY m.row_id LIMIT 1) AS preview FROM agent_session s`

let lastSearch: { words: string; search: Search } | null = null
/** For SQLite, which asks for row after row of one search. */
function rowFits(words: string, role: string, content: string, toolName: string | null, calls: string | null): 0 | 1 {
  if (lastSearch?.words !== words) lastSearch = { words, search: createSearch(words) }
  return lastSearch.search.fits({ role, content, tool_name: toolName, tool_calls: calls === null ? null : (JSON.parse(calls) as WireCall[]) }) ? 1 : 0
}

export type AgentRepo = ReturnType<typeof createAgentRepo>

/** @throws a refusal when a write fails. */
export function createAgentRepo(db: Database) {
  const write = <Result>(work: () => Result): Result => {
    try {
      return inTransaction(db, work)
    } catch (error) {
      throw storeRefusal(error)
    }
  }
  const glance = db.prepare(`${GLANCE} WHERE s.stored_id = ?`)
  const byTitle = db.prepare('SELECT stored_id FROM agent_session WHERE title = ? ORDER BY active_at_ms DESC LIMIT 1')
  const insertSession = db.prepare('INSERT INTO agent_session (stored_id, title, source, model, started_at_ms, active_at_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (stored_id) DO NOTHING')
  const touch = db.prepare('UPDATE agent_session SET active_at_ms = ? WHERE stored_id = ?')
  const insertRow = db.prepare('INSERT INTO agent_message (stored_id, role, content, reasoning, tool_calls, tool_call_id, tool_name, finish_reason, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const page = db.prepare('SELECT * FROM agent_message WHERE stored_id = ? ORDER BY row_id LIMIT ? OFFSET ?')
  const tail = db.prepare('SELECT * FROM (SELECT * FROM agent_message WHERE stored_id = ? ORDER BY row_id DESC LIMIT ?) ORDER BY row_id')
  const update = db.prepare('UPDATE agent_session SET title = ?, archived = ?, model = ? WHERE stored_id = ?')
  const addUsage = db.prepare('UPDATE agent_session SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, context_used = ? WHERE stored_id = ?')
  const openTurn = db.prepare('UPDATE agent_session SET turn_open = ? WHERE stored_id = ?')
  const openTurns = db.prepare('SELECT stored_id FROM agent_session WHERE turn_open = 1')
  const userRow = db.prepare("SELECT row_id FROM agent_message WHERE stored_id = ? AND role = 'user' ORDER BY row_id LIMIT 1 OFFSET ?")
  const truncate = db.prepare('DELETE FROM agent_message WHERE stored_id = ? AND row_id >= ?')
  const remove = db.prepare('DELETE FROM agent_session WHERE stored_id = ?')
  db.function('agent_row_fits', rowFits)
  const search = db.prepare(`SELECT s.*, m.* FROM agent_session s JOIN agent_message m ON m.row_id =
    (SELECT row_id FROM agent_message WHERE stored_id = s.stored_id AND instr(lower(content || ' ' || ifnull(tool_name, '') || ' ' || ifnull(tool_calls, '')), ?) > 0
      AND agent_row_fits(?, role, content, tool_name, tool_calls) ORDER BY row_id DESC LIMIT 1) ORDER BY s.active_at_ms DESC LIMIT ?`)
  const setting = db.prepare('SELECT value FROM agent_setting WHERE name = ?')
  const set = db.prepare('INSERT INTO agent_setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')

  const add = (storedId: string, row: NewRow, atMs: number): number => {
    const { lastInsertRowid } = insertRow.run(
      storedId, row.role, row.content, row.reasoning ?? null, row.tool_calls ? JSON.stringify(row.tool_calls) : null, row.tool_call_id ?? null, row.tool_name ?? null, row.finish_reason ?? null, atMs,
    )
    touch.run(atMs, storedId)
    return Number(lastInsertRowid)
  }

  return {
    session: (storedId: string): SessionGlance | null => {
      const raw = glance.get(storedId) as Raw | undefined
      return raw ? toGlance(raw) : null
    },
    idOfTitle: (title: string): string | null => (title === '' ? null : ((byTitle.get(title) as Raw | undefined)?.['stored_id'] as string | undefined)) ?? null,
    list(filter: ListFilter): { sessions: SessionGlance[]; total: number } {
      const archived = filter.archived === 'include' ? '' : `AND archived = ${filter.archived === 'only' ? 1 : 0}`
      const inner = `SELECT * FROM (${GLANCE}) WHERE message_count >= ? ${archived}`
      const { total } = db.prepare(`SELECT count(*) AS total FROM (${inner})`).get(filter.messagesMin) as { total: number }
      const order = filter.order === 'recent' ? 'active_at_ms' : 'started_at_ms'
      const rows = db.prepare(`${inner} ORDER BY ${order} DESC, stored_id DESC LIMIT ? OFFSET ?`).all(filter.messagesMin, filter.limit, filter.offset) as Raw[]
      return { sessions: rows.map(toGlance), total }
    },
    /** The newest row of each conversation that fits, the conversation that was active last first. */
    search: (words: string, limit: number): SearchHit[] => (search.all(createSearch(words).plain, words, limit) as Raw[]).map((raw) => ({ session: toSession(raw), row: toRow(raw) })),
    rows: (storedId: string, limit: number | null = null, offset = 0): AgentRow[] => (page.all(storedId, limit ?? -1, offset) as Raw[]).map(toRow),
    /** The newest rows, oldest first. */
    tail: (storedId: string, limit: number): AgentRow[] => (tail.all(storedId, limit) as Raw[]).map(toRow),
    /** The row of the n-th message of the person, from 0. */
    userRowId: (storedId: string, ordinal: number): number | null => ((userRow.get(storedId, ordinal) as Raw | undefined)?.['row_id'] as number | undefined) ?? null,
    /** The first message makes the conversation; in one transaction with the mark that its turn runs, and with what a retry takes away. */
    beginTurn: (session: AgentSession, content: string, atMs: number, fromRowId: number | null = null): number => write(() => {
      if (fromRowId !== null) truncate.run(session.storedId, fromRowId)
      insertSession.run(session.storedId, session.title, session.source, session.model, session.startedAtMs, atMs)
      openTurn.run(1, session.storedId)
      return add(session.storedId, { role: 'user', content }, atMs)
    }),
    add: (storedId: string, row: NewRow, atMs: number): number => write(() => add(storedId, row, atMs)),
    endTurn: (storedId: string): void => write(() => { openTurn.run(0, storedId) }),
    addUsage: (storedId: string, input: number, output: number, contextUsed: number): void => write(() => { addUsage.run(input, output, contextUsed, storedId) }),
    update: (session: Pick<AgentSession, 'storedId' | 'title' | 'archived' | 'model'>): void => write(() => { update.run(session.title, session.archived ? 1 : 0, session.model, session.storedId) }),
    remove: (storedId: string): boolean => write(() => Number(remove.run(storedId).changes) > 0),
    setting: (name: string): string | null => ((setting.get(name) as Raw | undefined)?.['value'] as string | undefined) ?? null,
    set: (name: string, value: string): void => write(() => { set.run(name, value) }),
    /** Turns that a crash cut: calls without a result get one that says so, because no model reads a call without it. */
    closeCutTurns(atMs: number): void {
      for (const { stored_id: storedId } of openTurns.all() as { stored_id: string }[]) write(() => {
        const rows = (page.all(storedId, -1, 0) as Raw[]).map(toRow)
        for (const call of unanswered(rows)) add(storedId, { role: 'tool', content: JSON.stringify({ output: '', error: STOPPED_IN_TOOL }), tool_call_id: call.id, tool_name: call.function.name }, atMs)
        openTurn.run(0, storedId)
      })
    },
  }
}

/** Calls of the last answer that have no result yet. */
export function unanswered(rows: readonly AgentRow[]): WireCall[] {
  const at = rows.findLastIndex((row) => row.tool_calls !== null && row.tool_calls.length > 0)
  const answered = new Set(rows.slice(at + 1).map((row) => row.tool_call_id))
  return at < 0 || rows.slice(at + 1).some((row) => row.role !== 'tool') ? [] : (rows[at]?.tool_calls ?? []).filter((call) => !answered.has(call.id))
}
