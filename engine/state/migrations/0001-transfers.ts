/**
 * Transfers, their files, and completed chunks. `secrets` holds package tokens, link addresses and passwords, sealed
 * (engine/secrets/seal.ts).
 */
export const version = 1;

export const sql = `
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE transfers (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('upload', 'download')),
    state TEXT NOT NULL,
    name TEXT NOT NULL,
    priority INTEGER NOT NULL,
    position INTEGER NOT NULL,
    request TEXT NOT NULL,
    facts TEXT NOT NULL,
    secrets TEXT NOT NULL,
    error TEXT,
    bytes INTEGER NOT NULL DEFAULT 0,
    total_bytes INTEGER NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0,
    total_files INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX transfers_queue ON transfers (state, priority DESC, position);

  CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    transfer_id TEXT NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'directory')),
    -- In the package, with '/'; empty for its root.
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Uploads: the absolute path of the source. Downloads: the target path below the transfer's root folder.
    local TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_at REAL NOT NULL,
    inode TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'pending',
    remote_id TEXT NOT NULL DEFAULT '',
    upload_id TEXT NOT NULL DEFAULT '',
    chunk_size INTEGER NOT NULL DEFAULT 0,
    chunk_checksum TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    error TEXT
  ) STRICT;
  CREATE INDEX files_of_transfer ON files (transfer_id, id);
  -- Stays small, because completing a file is the engine's most frequent write.
  CREATE INDEX files_pending ON files (transfer_id, id) WHERE state = 'pending';

  CREATE TABLE chunks (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    blake3 TEXT NOT NULL,
    PRIMARY KEY (file_id, number)
  ) STRICT, WITHOUT ROWID;
`;
