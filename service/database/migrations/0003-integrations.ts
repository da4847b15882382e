import { type Kysely, sql } from 'kysely';

/** Cloud connections, filters, webhooks and the results of their deliveries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table filters (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      name text not null,
      rules jsonb not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index filters_team on filters (team_id, id)`.execute(db);
  // deleted_at: a deleted connection is invisible to its Team, and is kept for transfers in progress.
  await sql`
    create table cloud_connections (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid references users on delete set null,
      name text not null,
      provider text not null,
      direction text not null check (direction in ('service_to_cloud', 'cloud_to_service')),
      state text not null default 'ok' check (state in ('ok', 'error', 'offline')),
      state_message text not null default '',
      sealed_authorization bytea not null,
      target_directory_id text not null default '',
      source_directory_ids text[] not null default '{}',
      upload_transfer_manifest boolean not null default false,
      storage_gateway_id uuid,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3)
    )`.execute(db);
  await sql`create index cloud_connections_team on cloud_connections (team_id, id) where deleted_at is null`.execute(db);
  await sql`
    create table custom_webhooks (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid references users on delete set null,
      name text not null,
      active boolean not null,
      events text[] not null,
      method text not null check (method in ('POST', 'PUT')),
      url text not null,
      sealed_headers bytea not null,
      body_extras jsonb not null,
      sealed_secret bytea not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3)
    )`.execute(db);
  await sql`create index custom_webhooks_team on custom_webhooks (team_id, id) where deleted_at is null`.execute(db);
  await sql`
    create table webhook_deliveries (
      id uuid primary key,
      webhook_id uuid not null references custom_webhooks on delete cascade,
      event_id uuid not null,
      event_type text not null,
      attempt integer not null,
      state text not null check (state in ('delivered', 'failed', 'gave_up')),
      status integer not null,
      error text not null,
      milliseconds integer not null,
      created_at timestamptz(3) not null,
      unique (webhook_id, event_id, attempt)
    )`.execute(db);
  await sql`create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id)`.execute(db);
  await sql`create index webhook_deliveries_created_at on webhook_deliveries (created_at)`.execute(db);
}
