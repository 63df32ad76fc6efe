/** Every schema, oldest first; position + 1 is SQLite's `user_version`. Append only: a test pins the hash of every landed entry. */
import { AGENT_SCHEMA } from '#relay/embedded/agent/agent-schema.ts'
import { LEASE_SCHEMA } from '#relay/lease/lease-schema.ts'

/** Devices, their tokens (hashes only), claim codes (hashes only), settings. */
const DOOR_SCHEMA = `
CREATE TABLE device (
  device_id TEXT PRIMARY KEY,
  client_id TEXT,
  name TEXT NOT NULL,
  model TEXT,
  platform TEXT,
  surface TEXT,
  form_factor TEXT,
  created_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;
CREATE INDEX device_client ON device (client_id);
CREATE TABLE device_grant (
  device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (device_id, name)
) STRICT;
CREATE TABLE credential (
  credential_id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('session', 'refresh')),
  token_hash TEXT NOT NULL UNIQUE,
  token_prefix TEXT NOT NULL,
  previous_hash TEXT,
  rotated_at_ms INTEGER,
  issued_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX credential_device ON credential (device_id, kind, issued_at_ms);
CREATE INDEX credential_previous ON credential (previous_hash);
CREATE TABLE claim_code (
  code_hash TEXT PRIMARY KEY,
  issued_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER
) STRICT;
CREATE TABLE paired_origin (
  origin TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
  PRIMARY KEY (origin, device_id)
) STRICT;
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`

export const MIGRATIONS: readonly string[] = [DOOR_SCHEMA, LEASE_SCHEMA, AGENT_SCHEMA]
