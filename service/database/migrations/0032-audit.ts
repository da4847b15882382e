import { type Kysely, sql } from 'kysely';

/** The audit log: entries that are only ever added, and the chain of their hashes beside them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table teams add column audit_retention_days integer not null default 365`.execute(db);
  await sql`
    create table audit_entries (
      id uuid primary key,
      team_id uuid not null references teams,
      at timestamptz(3) not null,
      action text not null,
      actor_kind text not null check (actor_kind in ('user', 'api_key', 'visitor', 'operator', 'service')),
      actor_id uuid,
      api_key_id uuid,
      actor_name text not null,
      address text not null,
      user_agent text not null,
      target_kind text not null,
      target_id text not null,
      target_name text not null,
      details jsonb not null
    )`.execute(db);
  await sql`create index audit_entries_at on audit_entries (team_id, at, id)`.execute(db);
  await sql`create index audit_entries_actor on audit_entries (team_id, actor_id, at, id) where actor_id is not null`.execute(db);
  await sql`create index audit_entries_action on audit_entries (team_id, action text_pattern_ops, at, id)`.execute(db);
  await sql`create index audit_entries_target on audit_entries (team_id, target_id, at, id) where target_id <> ''`.execute(db);
  await sql`
    create table audit_chain (
      team_id uuid not null references teams,
      position bigint not null,
      entry_id uuid not null unique,
      hash bytea not null,
      primary key (team_id, position)
    )`.execute(db);
  // Entries that are not in the chain yet. A row goes when its entry gets its place.
  await sql`create table audit_pending (entry_id uuid primary key, team_id uuid not null)`.execute(db);
  // Where the chain begins once older entries were removed: the place and hash of the last one of these.
  await sql`
    create table audit_anchors (
      team_id uuid primary key references teams,
      position bigint not null,
      hash bytea not null,
      removed_at timestamptz(3) not null
    )`.execute(db);
  await sql`
    create function audit_append_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('longshore.audit_retention', true) = 'on' then
        return old;
      end if;
      raise exception 'the audit log only grows: % of % is refused', tg_op, tg_table_name using errcode = 'insufficient_privilege';
    end $$`.execute(db);
  for (const table of ['audit_entries', 'audit_chain']) {
    await sql`
      create trigger append_only before update or delete on ${sql.table(table)}
      for each row execute function audit_append_only()`.execute(db);
    await sql`
      create trigger append_only_truncate before truncate on ${sql.table(table)}
      for each statement execute function audit_append_only()`.execute(db);
  }
}
