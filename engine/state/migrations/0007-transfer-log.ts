/** What became of each transfer: its last events, for the person who looks at it. And those that have left the list, at hand. */
export const version = 7;

export const sql = `
  CREATE TABLE transfer_log (
    transfer_id TEXT NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (transfer_id, number)
  ) STRICT, WITHOUT ROWID;

  -- Asked for after each removal, among a hundred thousand that are not.
  CREATE INDEX transfers_removed ON transfers (id) WHERE removed = 1;
`;
