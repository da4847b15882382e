/**
 * What lists of transfers are found and ordered by, so that no list has to stand in memory (docs/decisions/0031). Of a
 * transfer that is over, `finished_at` is always there. `folded` is a function of this agent (engine/state/lists.ts).
 */
export const version = 8;

export const sql = `
  -- In lower case, whatever the script.
  ALTER TABLE transfers ADD COLUMN folded_name TEXT NOT NULL DEFAULT '';
  -- Of uploads; the Team is empty through a Portal.
  ALTER TABLE transfers ADD COLUMN team_id TEXT;
  ALTER TABLE transfers ADD COLUMN portal_id TEXT;
  -- As the facts say it: cancelled, and the service still holds what was sent.
  ALTER TABLE transfers ADD COLUMN clean_up_due INTEGER NOT NULL DEFAULT 0;

  UPDATE transfers SET
    folded_name = folded(name),
    team_id = CASE WHEN kind = 'upload' AND json_valid(request) THEN coalesce(request ->> '$.teamId', '') END,
    portal_id = CASE WHEN kind = 'upload' AND json_valid(request) THEN request ->> '$.portal.id' END,
    clean_up_due = CASE WHEN kind = 'upload' AND json_valid(facts) THEN facts ->> '$.cleanUpDue' IS 1 ELSE 0 END,
    finished_at = CASE WHEN state IN ('complete', 'cancelled') THEN coalesce(finished_at, updated_at) END;

  CREATE INDEX transfers_found ON transfers (state, kind, team_id, portal_id, folded_name) WHERE removed = 0;
  -- What those that are not over have still to move: few, of which some change every two seconds.
  CREATE INDEX transfers_left ON transfers (state, kind, total_bytes, bytes)
    WHERE removed = 0 AND state IN ('queued', 'transferring', 'paused', 'idle');
  CREATE INDEX transfers_owing ON transfers (id) WHERE clean_up_due = 1;
  CREATE INDEX transfers_paused_until ON transfers (id) WHERE paused_until IS NOT NULL;

  -- For each order its own, with what most lists are filtered by behind it: a page is read where it stands.
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
