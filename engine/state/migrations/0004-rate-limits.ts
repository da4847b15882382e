/** A transfer's own speed limit, in bytes a second; 0 = none. */
export const version = 4;

export const sql = `ALTER TABLE transfers ADD COLUMN rate_limit INTEGER NOT NULL DEFAULT 0;`;
