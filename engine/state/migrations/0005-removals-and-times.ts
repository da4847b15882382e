/**
 * Transfers that were removed from the list before their data is deleted, and a transfer's time by cause: milliseconds
 * as JSON, NULL from an older agent. Failed files get an index: finding them among a million took half a second at the
 * end of each transfer.
 */
export const version = 5;

export const sql = `
  ALTER TABLE transfers ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE transfers ADD COLUMN time_spent TEXT;
  CREATE INDEX files_failed ON files (transfer_id, id) WHERE state = 'error';
`;
