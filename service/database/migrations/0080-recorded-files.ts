import { type Kysely, sql } from 'kysely';

/**
 * Files that are recorded once their bytes are there begin finalized (files/record-many.ts): they count to the traffic when
 * they are inserted, and are held to its limit then. For all others both functions do what they did.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      execute replace(
        replace(
          pg_get_functiondef('change_quotas(quota_change[], date)'::regprocedure),
          'change.open_bytes > 0 and', '(change.open_bytes > 0 or change.sent_bytes > 0 and month is not null) and'),
        'quota.open_bytes - change.open_bytes, ''asked'', change.open_bytes)',
        'quota.open_bytes - change.open_bytes - change.sent_bytes, ''asked'', change.open_bytes + change.sent_bytes)');
    end $$`.execute(db);
  await sql`
    create or replace function files_added_to_quotas() returns trigger language plpgsql as $$
    begin
      if not exists (select from quotas) then return null; end if;
      perform change_quotas(
        array(
          select row(package_id, sum(size), sum(size) filter (where state = 'new'), sum(size) filter (where state = 'finalized'))::quota_change
          from added where kind = 'file' group by package_id having sum(size) > 0),
        (select date_trunc('month', max(created_at) at time zone 'UTC')::date from added));
      return null;
    end $$`.execute(db);
}
