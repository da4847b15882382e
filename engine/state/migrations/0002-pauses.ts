/** Pauses that end by themselves, and paths that were added to an upload after it was begun. */
export const version = 2;

export const sql = `
  ALTER TABLE transfers ADD COLUMN paused_since INTEGER;
  ALTER TABLE transfers ADD COLUMN paused_until INTEGER;

  CREATE TABLE added_paths (
    transfer_id TEXT NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (transfer_id, number)
  ) STRICT, WITHOUT ROWID;
`;
