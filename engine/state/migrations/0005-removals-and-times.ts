/**
 * Transfers that have left the list and whose files are still to be deleted, and where the time of a transfer has
 * gone: milliseconds by cause as JSON, NULL where an earlier agent kept none.
 */
export const version = 5;

export const sql = `
  ALTER TABLE transfers ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE transfers ADD COLUMN time_spent TEXT;
`;
