/** Tables of the small agent: its conversations, their rows, what the person set. Only `agent-repo.ts` knows them besides. */
export const AGENT_SCHEMA = `
CREATE TABLE agent_session (
  stored_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  source TEXT NOT NULL,
  model TEXT NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0,
  started_at_ms INTEGER NOT NULL,
  active_at_ms INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  context_used INTEGER NOT NULL DEFAULT 0,
  turn_open INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agent_session_active ON agent_session (active_at_ms);
CREATE TABLE agent_message (
  row_id INTEGER PRIMARY KEY AUTOINCREMENT,
  stored_id TEXT NOT NULL REFERENCES agent_session (stored_id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  content TEXT NOT NULL,
  reasoning TEXT,
  tool_calls TEXT,
  tool_call_id TEXT,
  tool_name TEXT,
  finish_reason TEXT,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_message_session ON agent_message (stored_id, row_id);
CREATE TABLE agent_setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`
