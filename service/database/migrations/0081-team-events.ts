import { type Kysely, sql } from 'kysely';

/**
 * What changes in a Team is told to the processes in which somebody watches it (realtime/team-hub.ts; docs/decisions/0085).
 * By triggers, so that no writer can forget it. While nobody watches a Team, they cost one look into a small table.
 */

interface Told {
  readonly table: string;
  /** As `TeamEvent` names it. */
  readonly what: string;
  /** Rows of `changed` with the Team of each, and the id by which it is decided who hears of it; null for none. */
  readonly of: string;
  /** What of a row `r` nobody sees. */
  readonly hidden?: readonly string[];
  /** Facts of a row `r` that follow from hidden columns, as jsonb. */
  readonly derived?: string;
  readonly key?: string;
}

const ofPackage = (id: string, where = 'true') =>
  `select packages.team_id, changed.${id} as id from changed join packages on packages.id = changed.${id} where ${where}`;
const ofTeam = 'select team_id, null::uuid as id from changed';
const ofPortal = (id: string) => `select portals.team_id, null::uuid as id from changed join portals on portals.id = changed.${id}`;

const told: readonly Told[] = [
  {
    table: 'packages',
    what: 'packages',
    of: 'select team_id, id from changed',
    hidden: ['updated_at', 'free_asked_at', 'expiry_told', 'form_response_id'],
  },
  { table: 'links', what: 'links', of: ofPackage('package_id'), hidden: ['accesses'] },
  {
    table: 'messages',
    what: 'links',
    of: ofPackage('package_id', `changed.kind = 'link'`),
    hidden: ['attempts', 'busy_until', 'updated_at'],
  },
  { table: 'downloads', what: 'downloads', of: 'select team_id, package_id as id from changed', key: 'token_id' },
  {
    table: 'cloud_transfers',
    what: 'transfers',
    of: ofPackage('package_id'),
    hidden: ['due_at', 'lease_id', 'updated_at', 'attempts', 'failures', 'planned', 'cleanup', 'folder', 'folder_key', 'destination'],
  },
  { table: 'portals', what: 'portals', of: ofTeam },
  { table: 'forms', what: 'portals', of: ofPortal('portal_id') },
  { table: 'memberships', what: 'members', of: ofTeam },
  { table: 'invitations', what: 'members', of: ofTeam },
  { table: 'teamspaces', what: 'teamspaces', of: 'select team_id, id from changed' },
  {
    table: 'teamspace_members',
    what: 'teamspaces',
    // Whoever was removed hears it, too.
    of: `select teamspaces.team_id, heard.id from changed join teamspaces on teamspaces.id = changed.teamspace_id
      cross join lateral (values (changed.teamspace_id), (changed.user_id)) as heard (id)`,
  },
  { table: 'tags', what: 'tags', of: ofTeam },
  { table: 'cloud_connections', what: 'connections', of: ofTeam, hidden: ['updated_at'] },
  {
    table: 'storage_gateways',
    what: 'gateways',
    of: ofTeam,
    hidden: ['poll_id', 'online_until', 'last_seen_at'],
    derived: `jsonb_build_object('online', r.online_until is not null)`,
  },
  { table: 'filters', what: 'filters', of: ofTeam },
  { table: 'custom_webhooks', what: 'webhooks', of: ofTeam },
  {
    table: 'webhook_deliveries',
    what: 'deliveries',
    of: `select custom_webhooks.team_id, null::uuid as id from changed join custom_webhooks on custom_webhooks.id = changed.webhook_id`,
  },
];

/** A message may have less than 8,000 bytes, an id has 36. */
const idsPerMessage = 150;

export async function up(db: Kysely<unknown>): Promise<void> {
  // Empty after a crash, and written anew every half minute.
  await sql`create unlogged table team_watches (team_id uuid primary key, until timestamptz not null)`.execute(db);
  await sql`
    create function tell_team(team uuid, what text, ids uuid[]) returns void language plpgsql as $$
    begin
      for start in 1 .. greatest(cardinality(ids), 1) by ${sql.raw(String(idsPerMessage))} loop
        perform pg_notify('longshore_realtime', json_build_object(
          'type', 'team', 'from', '', 'team', team, 'what', what, 'ids', ids[start : start + ${sql.raw(String(idsPerMessage - 1))}])::text);
      end loop;
    end $$`.execute(db);
  // Arguments: what changes, whose it is, the key, and the facts that are seen of a row r.
  await sql`
    create function tell_watchers() returns trigger language plpgsql as $$
    declare
      changed text;
    begin
      if not exists (select from team_watches where until > clock_timestamp()) then return null; end if;
      changed := case tg_op
        when 'INSERT' then 'select * from added'
        when 'DELETE' then 'select * from removed'
        else format('select r.* from added as r join removed as before on before.%1$I = r.%1$I
          where (%2$s) is distinct from (select %2$s from (select before.*) as r)', tg_argv[2], tg_argv[3])
      end;
      execute format(
        'with changed as (%s), told as (%s)
        select tell_team(told.team_id, %L, array_agg(distinct told.id) filter (where told.id is not null))
        from told join team_watches on team_watches.team_id = told.team_id and team_watches.until > clock_timestamp()
        group by told.team_id', changed, tg_argv[1], tg_argv[0]);
      return null;
    end $$`.execute(db);
  for (const one of told) {
    const facts = `to_jsonb(r) - array[${(one.hidden ?? []).map((name) => `'${name}'`).join(', ')}]::text[]`;
    const args = [one.what, one.of, one.key ?? 'id', one.derived === undefined ? facts : `${facts} || ${one.derived}`];
    const call = sql`execute function tell_watchers(${sql.join(args.map((arg) => sql.lit(arg)))})`;
    const table = sql.table(one.table);
    await sql`create trigger tell_added after insert on ${table} referencing new table as added for each statement ${call}`.execute(db);
    await sql`
      create trigger tell_changed after update on ${table}
      referencing old table as removed new table as added for each statement ${call}`.execute(db);
    await sql`create trigger tell_removed after delete on ${table} referencing old table as removed for each statement ${call}`.execute(db);
  }
  await sql`
    create function tell_teamspace_members() returns trigger language plpgsql as $$
    begin
      if exists (select from team_watches where team_id = old.team_id and until > clock_timestamp()) then
        perform tell_team(old.team_id, 'teamspaces', array(select user_id from teamspace_members where teamspace_id = old.id));
      end if;
      return old;
    end $$`.execute(db);
  // Its members are removed with it, and were to hear of it.
  await sql`create trigger tell_members before delete on teamspaces for each row execute function tell_teamspace_members()`.execute(db);
}
