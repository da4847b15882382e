/** The last events of each transfer, and an index of the removed transfers. */
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

  -- Read after each removal; there may be a hundred thousand other transfers.
  CREATE INDEX transfers_removed ON transfers (id) WHERE removed = 1;
`;
