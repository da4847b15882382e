/** Files that are sent while they are written: their state is `growing`, and their uploads are begun without a size. */
export const version = 13;

export const sql = `
  ALTER TABLE files ADD COLUMN unknown_size INTEGER NOT NULL DEFAULT 0;
  -- Looked at every second while there are such files.
  CREATE INDEX files_growing ON files (transfer_id, id) WHERE state = 'growing';
`;
