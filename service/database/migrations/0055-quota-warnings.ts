import { type Kysely, sql } from 'kysely';

/** Owners are told that most of what their Team or a Portal may use is used, and that something was refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // level: the percentage that was told last. refused_at: when something was refused, noted about once an hour.
  await sql`
    alter table quotas
      drop column storage_told,
      drop column traffic_told,
      add column storage_level smallint not null default 0 check (storage_level in (0, 80, 100)),
      add column storage_level_at timestamptz(3),
      add column storage_refused_at timestamptz(3),
      add column traffic_level smallint not null default 0 check (traffic_level in (0, 80, 100)),
      add column traffic_level_at timestamptz(3),
      add column traffic_refused_at timestamptz(3)`.execute(db);
  await sql`
    create table quota_warnings (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      portal_id uuid references portals on delete cascade,
      kind text not null check (kind in ('storage', 'traffic')),
      percent smallint not null check (percent in (80, 100)),
      limit_bytes bigint not null,
      used_bytes bigint not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index quota_warnings_team on quota_warnings (team_id)`.execute(db);
  await sql`create index quota_warnings_portal on quota_warnings (portal_id) where portal_id is not null`.execute(db);
  // What a refusal says names its holder from now on; the rest of the function of migration 0050 stays.
  await sql`
    do $$ begin
      execute replace(
        pg_get_functiondef('change_quotas(quota_change[], date)'::regprocedure),
        '''limit'', quota.', '''holder'', change.id, ''limit'', quota.');
    end $$`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add column quota_warning_id uuid references quota_warnings on delete cascade,
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          when 'transfer' then transfer_id is not null
          when 'portal_request' then portal_request_id is not null
          when 'notice' then notice_id is not null
          when 'quota_warning' then quota_warning_id is not null
          else kind in (
            'password_changed', 'email_confirmation', 'email_change_asked', 'email_changed', 'factor_added', 'factor_removed', 'link_code',
            'storage_damaged')
        end)`.execute(db);
  await sql`create index messages_quota_warning on messages (quota_warning_id) where quota_warning_id is not null`.execute(db);
}
