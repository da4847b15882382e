import { type Kysely, sql } from 'kysely';

/** Storage gateways, what is asked of them, and the files that their tasks add to packages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // online_until: from then on it is taken for gone; null: it is offline. poll_id: of the poll that waits now. Both by the
  // database's clock.
  await sql`
    create table storage_gateways (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid references users on delete set null,
      name text not null,
      platform text not null,
      version text not null,
      poll_id uuid,
      online_until timestamptz(3),
      last_seen_at timestamptz(3),
      created_at timestamptz(3) not null
    ) with (fillfactor = 60)`.execute(db);
  await sql`create index storage_gateways_team on storage_gateways (team_id, id)`.execute(db);
  // No gateway could be registered before, so no connection has one.
  await sql`
    alter table cloud_connections add constraint cloud_connections_gateway
      foreign key (storage_gateway_id) references storage_gateways on delete set null`.execute(db);
  await sql`
    create index cloud_connections_gateway on cloud_connections (storage_gateway_id)
      where storage_gateway_id is not null`.execute(db);
  await sql`
    create index cloud_transfers_connection_due on cloud_transfers (cloud_connection_id, due_at)
      where due_at is not null`.execute(db);
  // What somebody waits for: a folder's files, a check. answer: null until it is there.
  await sql`
    create table gateway_requests (
      id uuid primary key,
      storage_gateway_id uuid not null references storage_gateways on delete cascade,
      cloud_connection_id uuid not null references cloud_connections on delete cascade,
      request jsonb not null,
      attempts integer not null default 0,
      leased_until timestamptz(3),
      answer jsonb,
      created_at timestamptz(3) not null default clock_timestamp()
    )`.execute(db);
  await sql`create index gateway_requests_gateway on gateway_requests (storage_gateway_id)`.execute(db);
  await sql`
    create table gateway_files (
      transfer_id uuid not null references cloud_transfers on delete cascade,
      file_id uuid not null,
      primary key (transfer_id, file_id)
    )`.execute(db);
}
