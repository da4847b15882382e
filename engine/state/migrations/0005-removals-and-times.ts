/**
 * Transfers that have left the list and whose files are still to be deleted, and where the time of a transfer has
 * gone: milliseconds by cause as JSON, NULL where an earlier agent kept none. Which files have failed is asked at the end
 * of every upload and download: of a million, that took half a second without an index.
 */
export const version = 5;

export const sql = `
  ALTER TABLE transfers ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE transfers ADD COLUMN time_spent TEXT;
  CREATE INDEX files_failed ON files (transfer_id, id) WHERE state = 'error';
`;
