import { type Kysely, sql } from 'kysely';

/**
 * How much a Team or a Portal may store, and a Team may send in a month. There is a row only where there is a
 * limit, so nobody else's files wait for a counter.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table quotas (
      holder_id uuid primary key check (holder_id = coalesce(portal_id, team_id)),
      team_id uuid not null references teams on delete cascade,
      portal_id uuid references portals on delete cascade,
      storage_limit bigint check (storage_limit >= 0),
      storage_used bigint not null default 0,
      open_bytes bigint not null default 0,
      traffic_limit bigint check (traffic_limit >= 0),
      traffic_used bigint not null default 0,
      traffic_month date not null default '-infinity',
      counted boolean not null default false,
      storage_told boolean not null default false,
      traffic_told boolean not null default false
    )`.execute(db);
  await sql`create index quotas_team on quotas (team_id)`.execute(db);
  await sql`create type quota_change as (package_id uuid, bytes bigint, open_bytes bigint, sent_bytes bigint)`.execute(db);
  await sql`
    create function change_quotas(changes quota_change[], month date) returns void language plpgsql as $$
    declare
      change record;
      quota quotas;
    begin
      -- In one order everywhere, so that two statements never wait for each other.
      for change in
        select holders.id, coalesce(sum(bytes), 0)::bigint as bytes,
          coalesce(sum(open_bytes), 0)::bigint as open_bytes, coalesce(sum(sent_bytes), 0)::bigint as sent_bytes
        from unnest(changes) as changed
        join packages on packages.id = changed.package_id
        cross join lateral (select packages.team_id as id union all select packages.portal_id) as holders
        where exists (select from quotas where quotas.holder_id = holders.id)
        group by holders.id
        having sum(bytes) <> 0 or sum(open_bytes) <> 0 or sum(sent_bytes) <> 0
        order by holders.id
      loop
        update quotas
        set storage_used = storage_used + change.bytes, open_bytes = quotas.open_bytes + change.open_bytes,
          traffic_used = change.sent_bytes + case when month > traffic_month then 0 else traffic_used end,
          traffic_month = greatest(traffic_month, month)
        where holder_id = change.id
        returning * into quota;
        if quota.counted and change.bytes > 0 and quota.storage_used > quota.storage_limit then
          raise exception 'the storage of % is full', change.id using errcode = 'LQ001', detail = json_build_object(
            'of', case when quota.portal_id is null then 'team_storage' else 'portal_storage' end,
            'limit', quota.storage_limit, 'used', quota.storage_used - change.bytes, 'asked', change.bytes);
        end if;
        if quota.counted and change.open_bytes > 0 and quota.traffic_used + quota.open_bytes > quota.traffic_limit then
          raise exception 'the traffic of % is used up', change.id using errcode = 'LQ001', detail = json_build_object(
            'of', 'team_traffic', 'limit', quota.traffic_limit,
            'used', quota.traffic_used + quota.open_bytes - change.open_bytes, 'asked', change.open_bytes);
        end if;
      end loop;
    end $$`.execute(db);
  await sql`
    create function files_added_to_quotas() returns trigger language plpgsql as $$
    begin
      if not exists (select from quotas) then return null; end if;
      perform change_quotas(
        array(
          select row(package_id, sum(size), sum(size) filter (where state = 'new'), 0)::quota_change
          from added where kind = 'file' group by package_id having sum(size) > 0),
        (select date_trunc('month', max(created_at) at time zone 'UTC')::date from added));
      return null;
    end $$`.execute(db);
  await sql`
    create function files_changed_in_quotas() returns trigger language plpgsql as $$
    begin
      if not exists (select from quotas) then return null; end if;
      perform change_quotas(
        array(
          select row(package_id, sum(bytes), coalesce(sum(bytes) filter (where state = 'new'), 0),
            coalesce(sum(bytes) filter (where state = 'finalized'), 0))::quota_change
          from (
            select package_id, state, size as bytes from added where kind = 'file'
            union all select package_id, state, -size from removed where kind = 'file'
          ) as both_sides
          group by package_id),
        null);
      return null;
    end $$`.execute(db);
  await sql`
    create function files_removed_from_quotas() returns trigger language plpgsql as $$
    begin
      if not exists (select from quotas) then return null; end if;
      perform change_quotas(
        array(
          select row(package_id, -sum(size), -coalesce(sum(size) filter (where state = 'new'), 0), 0)::quota_change
          from removed where kind = 'file' group by package_id having sum(size) > 0),
        null);
      return null;
    end $$`.execute(db);
  await sql`
    create trigger files_added_to_quotas after insert on files
    referencing new table as added for each statement execute function files_added_to_quotas()`.execute(db);
  await sql`
    create trigger files_changed_in_quotas after update on files
    referencing old table as removed new table as added for each statement execute function files_changed_in_quotas()`.execute(db);
  await sql`
    create trigger files_removed_from_quotas after delete on files
    referencing old table as removed for each statement execute function files_removed_from_quotas()`.execute(db);
}
