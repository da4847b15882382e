import { type Kysely, sql } from 'kysely';

/** Teams, users, memberships, API keys; stored responses of creating calls; facts about this service. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table teams (
      id uuid primary key,
      name text not null,
      subdomain text not null unique,
      state text not null default 'active' check (state in ('active', 'inactive')),
      custom_expiry_default integer not null default 10,
      custom_expiry_enabled boolean not null default true,
      download_limit_default integer not null default 0,
      download_limit_enabled boolean not null default false,
      max_email_recipients integer not null default 500,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`
    create table users (
      id uuid primary key,
      email text not null,
      name text not null,
      password_hash text not null,
      time_zone text not null default 'UTC',
      primary_team_id uuid references teams on delete set null,
      preferred_team_id uuid references teams on delete set null,
      token_version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create unique index users_email on users (lower(email))`.execute(db);
  await sql`
    create table memberships (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('owner', 'admin', 'integration_manager', 'member', 'guest')),
      created_at timestamptz(3) not null,
      unique (user_id, team_id)
    )`.execute(db);
  await sql`create index memberships_team on memberships (team_id, id)`.execute(db);
  await sql`
    create table api_keys (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid not null references users on delete cascade,
      name text not null,
      description text not null,
      state text not null check (state in ('active', 'inactive')),
      expiry timestamptz(3),
      secret_hash bytea not null unique,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      last_request_at timestamptz(3)
    )`.execute(db);
  await sql`create index api_keys_team on api_keys (team_id, id)`.execute(db);
  await sql`create index api_keys_created_by on api_keys (created_by)`.execute(db);
  await sql`
    create table idempotency_answers (
      scope text not null,
      key_hash bytea not null,
      body_hash bytea not null,
      answer bytea,
      created_at timestamptz(3) not null,
      primary key (scope, key_hash)
    )`.execute(db);
  await sql`create index idempotency_answers_created_at on idempotency_answers (created_at)`.execute(db);
  await sql`create table service_facts (name text primary key, value text not null)`.execute(db);
}
