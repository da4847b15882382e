/** When a transfer should be over, in milliseconds since 1970; NULL without a deadline. */
export const version = 12;

export const sql = `
  ALTER TABLE transfers ADD COLUMN due_at INTEGER;
  CREATE INDEX transfers_due ON transfers (state, priority DESC, due_at) WHERE due_at IS NOT NULL AND removed = 0;
`;
