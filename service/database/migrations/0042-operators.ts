import { type Kysely, sql } from 'kysely';

/** Who operates the service, and the log of what operators do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column is_operator boolean not null default false`.execute(db);
  await sql`create index users_operators on users (id) where is_operator`.execute(db);
  await sql`
    create table operator_log (
      id uuid primary key,
      at timestamptz(3) not null,
      actor_kind text not null check (actor_kind in ('operator', 'command', 'service')),
      actor_name text not null,
      address text not null,
      action text not null,
      target_kind text not null,
      target_id text not null,
      target_name text not null,
      details jsonb not null
    )`.execute(db);
  await sql`create index operator_log_at on operator_log (at, id)`.execute(db);
  await sql`
    create trigger append_only before update or delete on operator_log
    for each row execute function audit_append_only()`.execute(db);
  await sql`
    create trigger append_only_truncate before truncate on operator_log
    for each statement execute function audit_append_only()`.execute(db);
}
