import { type Kysely, sql } from 'kysely';

/** Single sign-on of Teams by OpenID Connect. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sso_connections (
      team_id uuid primary key references teams on delete cascade,
      issuer text not null,
      client_id text not null,
      sealed_secret bytea,
      scopes text[] not null,
      group_claim text not null,
      default_role text check (default_role in ('admin', 'integration_manager', 'member', 'guest')),
      enabled boolean not null,
      sso_only boolean not null check (enabled or not sso_only),
      revision uuid not null,
      proven_at timestamptz(3),
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`
    create table sso_group_roles (
      team_id uuid not null references sso_connections on delete cascade,
      group_name text not null,
      role text not null check (role in ('admin', 'integration_manager', 'member', 'guest')),
      position integer not null,
      primary key (team_id, group_name)
    )`.execute(db);
  await sql`
    create table sso_domains (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      domain text not null,
      token text not null,
      verified_at timestamptz(3),
      checked_at timestamptz(3),
      missing_since timestamptz(3),
      created_at timestamptz(3) not null,
      unique (team_id, domain)
    )`.execute(db);
  await sql`create unique index sso_domains_verified on sso_domains (domain) where verified_at is not null`.execute(db);
  await sql`
    create table sso_identities (
      team_id uuid not null references teams on delete cascade,
      issuer text not null,
      subject text not null,
      user_id uuid not null references users on delete cascade,
      created_at timestamptz(3) not null,
      primary key (team_id, issuer, subject),
      unique (team_id, issuer, user_id)
    )`.execute(db);
  await sql`create index sso_identities_user on sso_identities (user_id)`.execute(db);
  await sql`
    create table former_members (
      team_id uuid not null references teams on delete cascade,
      user_id uuid not null references users on delete cascade,
      left_at timestamptz(3) not null,
      primary key (team_id, user_id)
    )`.execute(db);
  await sql`create index former_members_user on former_members (user_id)`.execute(db);
  await sql`alter table sessions add column sso_team_id uuid references teams on delete cascade`.execute(db);
  await sql`create index sessions_sso_team on sessions (sso_team_id) where sso_team_id is not null`.execute(db);
}
