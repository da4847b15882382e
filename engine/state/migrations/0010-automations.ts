/**
 * Automations, what each of them sent or received (its ledger), its last results, and its questions. Times in
 * milliseconds since 1970.
 */
export const version = 10;

export const sql = `
  CREATE TABLE automations (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    active INTEGER NOT NULL,
    -- What a person chose, as JSON; and what the automation keeps for itself.
    fields TEXT NOT NULL,
    facts TEXT NOT NULL,
    -- Sealed (engine/secrets/seal.ts).
    secrets TEXT NOT NULL,
    -- Made by a caller that is restricted to the allowed folders.
    restricted INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_run_at INTEGER,
    -- Its data is deleted in steps.
    removed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX automations_by_name ON automations (name) WHERE removed = 0;

  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    automation_id TEXT NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    -- Uploads: the path inside the watched folder, with '/'. Downloads: the package's id.
    key TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_at REAL NOT NULL,
    -- Of the file here; empty where the disk has none that lasts.
    identity TEXT NOT NULL DEFAULT '',
    blake3 TEXT NOT NULL DEFAULT '',
    package_id TEXT NOT NULL DEFAULT '',
    transfer_id TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    -- Where the file is being moved to, or was.
    target TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX ledger_by_key ON ledger (automation_id, key);
  CREATE INDEX ledger_by_state ON ledger (automation_id, state, id);
  CREATE INDEX ledger_by_transfer ON ledger (transfer_id) WHERE transfer_id <> '';
  CREATE INDEX ledger_by_identity ON ledger (automation_id, identity) WHERE identity <> '';
  CREATE INDEX ledger_by_content ON ledger (automation_id, blake3) WHERE blake3 <> '';

  CREATE TABLE automation_results (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    automation_id TEXT NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    transfer_id TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX automation_results_of ON automation_results (automation_id, id);

  CREATE TABLE automation_questions (
    id TEXT PRIMARY KEY,
    automation_id TEXT NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
    entry TEXT NOT NULL,
    -- The fields of the form that are missing, and the person's answers, as JSON.
    fields TEXT NOT NULL,
    answers TEXT,
    asked_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX automation_questions_of ON automation_questions (automation_id, entry);
`;
