/** What an upload's paths led to when somebody asked to send them, as JSON, by their number among its paths. */
export const version = 14;

export const sql = `
  CREATE TABLE upload_roots (
    transfer_id TEXT NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    identity TEXT NOT NULL,
    PRIMARY KEY (transfer_id, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX upload_roots_path ON upload_roots (transfer_id, path);
`;
