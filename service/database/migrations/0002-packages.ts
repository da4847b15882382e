import { type Kysely, sql } from 'kysely';

/** Packages with what they are filtered by (tags, Teamspaces), their files, and their links. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tags (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      name text not null,
      active boolean not null default true,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index tags_team on tags (team_id, id)`.execute(db);
  await sql`
    create table teamspaces (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      name text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index teamspaces_team on teamspaces (team_id, id)`.execute(db);
  await sql`
    create table teamspace_members (
      id uuid primary key,
      teamspace_id uuid not null references teamspaces on delete cascade,
      user_id uuid not null references users on delete cascade,
      created_at timestamptz(3) not null,
      unique (user_id, teamspace_id)
    )`.execute(db);
  await sql`create index teamspace_members_teamspace on teamspace_members (teamspace_id, id)`.execute(db);

  // No cascade: deleting a Team or user with packages would leave the packages' objects behind in the storage.
  await sql`
    create table packages (
      id uuid primary key,
      team_id uuid not null references teams,
      created_by uuid references users on delete set null,
      teamspace_id uuid references teamspaces on delete set null,
      tag_id uuid references tags on delete set null,
      name text not null,
      description text not null,
      sender text not null,
      recipients text[] not null,
      state text not null default 'new' check (state in ('new', 'finalized', 'expired', 'archived')),
      size bigint not null default 0,
      total_files integer not null default 0,
      usage_total_bytes bigint not null default 0,
      expiry timestamptz(3),
      custom_expiry boolean not null default false,
      unlimited_storage boolean not null,
      access_limit integer not null,
      password_hash text,
      contains_virus boolean not null default false,
      chunk_size bigint not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  // One index for each order of the Team's list; id makes each order total.
  const orders = {
    created_at: 'created_at',
    name: 'lower(name) collate "C"',
    size: 'size',
    usage: 'usage_total_bytes',
    expiry: 'expiry',
    sender: 'lower(sender) collate "C"',
    state: 'state collate "C"',
    teamspace: 'teamspace_id',
  };
  for (const [name, expression] of Object.entries(orders)) {
    await sql`create index ${sql.raw(`packages_by_${name}`)} on packages (team_id, ${sql.raw(expression)}, id)`.execute(db);
  }

  // place: SHA-256 of path and name, since a path can be longer than an index entry may be.
  await sql`
    create table files (
      id uuid primary key,
      package_id uuid not null references packages,
      place bytea not null,
      kind text not null check (kind in ('file', 'directory')),
      path text not null,
      name text not null,
      last_modified timestamptz(3),
      state text not null check (state in ('new', 'finalized')),
      size bigint,
      chunk_size bigint not null,
      etag text,
      digest text,
      fingerprint bytea,
      replaced_id uuid,
      virus_detected boolean not null default false,
      created_at timestamptz(3) not null,
      unique (package_id, place)
    )`.execute(db);
  await sql`
    create table freed_objects (
      key text primary key,
      noted_at timestamptz(3) not null
    )`.execute(db);

  await sql`
    create table links (
      id uuid primary key,
      package_id uuid not null references packages,
      email text not null,
      secret text not null,
      password_hash text,
      access_limit integer not null,
      accesses integer not null default 0,
      expiry timestamptz(3),
      disabled_at timestamptz(3),
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index links_package on links (package_id, id)`.execute(db);
  await sql`
    create table link_accesses (
      link_id uuid not null references links on delete cascade,
      token_id uuid not null,
      started_at timestamptz(3) not null,
      primary key (link_id, token_id)
    )`.execute(db);
}
