/** Tables of the embedded agent: its conversations and their rows. Row ids are never given twice, since the relay looks for newer ones. */
export const AGENT_SCHEMA = `
CREATE TABLE agent_session (
  stored_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  source TEXT NOT NULL,
  model TEXT,
  preview TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  active_at_ms INTEGER NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0,
  row_count INTEGER NOT NULL DEFAULT 0,
  tool_count INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  context_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agent_session_active ON agent_session (active_at_ms);
CREATE TABLE agent_row (
  row_id INTEGER PRIMARY KEY AUTOINCREMENT,
  stored_id TEXT NOT NULL REFERENCES agent_session (stored_id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  reasoning TEXT,
  tool_calls TEXT,
  tool_call_id TEXT,
  tool_name TEXT,
  finish_reason TEXT,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_row_session ON agent_row (stored_id, row_id);
`
