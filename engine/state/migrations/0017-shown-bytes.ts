/** Bytes that were shown of transfers since their own counts were saved: these are written far more often. */
export const version = 17;

export const sql = `
  CREATE TABLE shown_bytes (
    transfer_id TEXT PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
