/**
 * Columns and indexes for lists of transfers, so that no list is in memory (docs/decisions/0031). From here on every
 * finished transfer has `finished_at`. `folded` is a function of the agent (engine/state/lists.ts).
 */
export const version = 8;

export const sql = `
  -- In lower case, in any script.
  ALTER TABLE transfers ADD COLUMN folded_name TEXT NOT NULL DEFAULT '';
  -- Uploads only. The Team is empty for an upload through a Portal.
  ALTER TABLE transfers ADD COLUMN team_id TEXT;
  ALTER TABLE transfers ADD COLUMN portal_id TEXT;
  -- A copy from the facts: cancelled, and the service still stores what was sent.
  ALTER TABLE transfers ADD COLUMN clean_up_due INTEGER NOT NULL DEFAULT 0;

  UPDATE transfers SET
    folded_name = folded(name),
    team_id = CASE WHEN kind = 'upload' AND json_valid(request) THEN coalesce(request ->> '$.teamId', '') END,
    portal_id = CASE WHEN kind = 'upload' AND json_valid(request) THEN request ->> '$.portal.id' END,
    clean_up_due = CASE WHEN kind = 'upload' AND json_valid(facts) THEN facts ->> '$.cleanUpDue' IS 1 ELSE 0 END,
    finished_at = CASE WHEN state IN ('complete', 'cancelled') THEN coalesce(finished_at, updated_at) END;

  CREATE INDEX transfers_found ON transfers (state, kind, team_id, portal_id, folded_name) WHERE removed = 0;
  -- Bytes left of unfinished transfers: these are few, and some change every two seconds.
  CREATE INDEX transfers_left ON transfers (state, kind, total_bytes, bytes)
    WHERE removed = 0 AND state IN ('queued', 'transferring', 'paused', 'idle');
  CREATE INDEX transfers_owing ON transfers (id) WHERE clean_up_due = 1;
  CREATE INDEX transfers_paused_until ON transfers (id) WHERE paused_until IS NOT NULL;

  -- One for each order, followed by the columns of the usual filters, so that a page is read without sorting.
  CREATE INDEX transfers_by_position ON transfers (position, state, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_created_at ON transfers (created_at, position, state, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_finished_at ON transfers (finished_at, position, state, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_name ON transfers (name, position, state, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_state ON transfers (state, position, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_total_bytes ON transfers (total_bytes, position, state, kind) WHERE removed = 0;
  CREATE INDEX transfers_by_turn ON transfers (
    state IN ('complete', 'cancelled'),
    CASE WHEN state IN ('complete', 'cancelled') THEN -finished_at ELSE -priority END,
    CASE WHEN state IN ('complete', 'cancelled') THEN -position ELSE position END,
    state, kind
  ) WHERE removed = 0;
`;
