/** Tables of the lease (lease.md 3): what must outlive the relay. Answers to secrets and passwords have no column here. */
export const LEASE_SCHEMA = `
CREATE TABLE lease_session (
  session_key TEXT PRIMARY KEY,
  profile TEXT,
  stored_id TEXT,
  live_id TEXT,
  running INTEGER NOT NULL DEFAULT 0,
  held INTEGER NOT NULL DEFAULT 0,
  options TEXT,
  updated_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX lease_session_stored ON lease_session (stored_id);
CREATE TABLE message (
  client_msg_id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  device_name TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL,
  position REAL NOT NULL,
  baseline_row_id INTEGER,
  row_id INTEGER,
  resends INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX message_open ON message (session_key, position);
CREATE TABLE ask (
  ask_id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  live_id TEXT NOT NULL,
  request_id TEXT,
  view TEXT NOT NULL,
  choice TEXT,
  open INTEGER NOT NULL
) STRICT;
CREATE INDEX ask_open ON ask (session_key, open);
CREATE TABLE outcome (
  turn_id TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  body TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX outcome_session ON outcome (session_key, at_ms);
CREATE TABLE delete_tombstone (
  stored_id TEXT PRIMARY KEY,
  profile TEXT,
  execute_at_ms INTEGER NOT NULL
) STRICT;
`
