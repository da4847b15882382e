import { type Kysely, sql } from 'kysely';

/** Portals with their attachments, their forms, and the packages received through them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // download_password_hash: for the links that finalizing creates. Both it and access_code are null if not set.
  await sql`
    create table portals (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid references users on delete set null,
      name text not null,
      subdomain text not null unique,
      message text not null,
      has_access_code boolean not null,
      access_code text not null,
      active boolean not null,
      recipients text[] not null,
      cc_recipients text[] not null,
      has_download_password boolean not null,
      download_password_hash text,
      custom_expiry_days integer,
      access_level text not null check (access_level in ('regular', 'private')),
      teamspace_id uuid references teamspaces on delete set null,
      tag_id uuid references tags on delete set null,
      terms_of_service_enabled boolean not null,
      terms_of_service jsonb not null,
      package_size_restriction_enabled boolean not null,
      max_package_size bigint not null,
      max_file_size bigint not null,
      max_file_count bigint not null,
      file_type_restriction_enabled boolean not null,
      file_types text[] not null,
      expiry_enabled boolean not null,
      expiry timestamptz(3),
      primary_color text not null,
      logo_url text not null,
      background_url text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  const orders = { created_at: 'created_at', name: 'lower(name) collate "C"', active: 'active' };
  for (const [name, expression] of Object.entries(orders)) {
    await sql`create index ${sql.raw(`portals_by_${name}`)} on portals (team_id, ${sql.raw(expression)}, id)`.execute(db);
  }
  await sql`
    create table portal_access (
      portal_id uuid not null references portals on delete cascade,
      user_id uuid not null references users on delete cascade,
      primary key (portal_id, user_id)
    )`.execute(db);
  await sql`create index portal_access_user on portal_access (user_id)`.execute(db);
  await sql`
    create table portal_connections (
      portal_id uuid not null references portals on delete cascade,
      connection_id uuid not null references cloud_connections on delete cascade,
      position integer not null,
      target_action text not null check (target_action in ('transfer')),
      filter_id uuid references filters,
      primary key (portal_id, connection_id)
    )`.execute(db);
  await sql`create index portal_connections_connection on portal_connections (connection_id)`.execute(db);
  await sql`create index portal_connections_filter on portal_connections (filter_id)`.execute(db);
  await sql`
    create table portal_webhooks (
      portal_id uuid not null references portals on delete cascade,
      webhook_id uuid not null references custom_webhooks on delete cascade,
      position integer not null,
      primary key (portal_id, webhook_id)
    )`.execute(db);
  await sql`create index portal_webhooks_webhook on portal_webhooks (webhook_id)`.execute(db);

  await sql`
    create table form_templates (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      name text not null,
      delivery_formats text[] not null,
      disabled boolean not null default false,
      fields jsonb not null default '[]',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index form_templates_team on form_templates (team_id, id)`.execute(db);
  await sql`
    create table forms (
      id uuid primary key,
      portal_id uuid not null unique references portals on delete cascade,
      form_template_id uuid references form_templates on delete set null,
      name text not null,
      delivery_formats text[] not null,
      disabled boolean not null default false,
      fields jsonb not null default '[]',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  // A response outlives its form and its Portal: it belongs to the package, and is deleted when that expires. It
  // contains the form's name, fields and formats as they were when it was given.
  await sql`
    create table form_responses (
      id uuid primary key,
      portal_id uuid references portals on delete set null,
      form_id uuid references forms on delete set null,
      form jsonb not null,
      answers jsonb not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index form_responses_created_at on form_responses (created_at)`.execute(db);
  // The files that deliver a response, recorded before they are written. A sender may replace one, so an id here may
  // belong to no file.
  await sql`
    create table form_deliverables (
      response_id uuid not null references form_responses on delete cascade,
      format text not null check (format in ('json', 'csv', 'xml')),
      file_id uuid not null unique,
      primary key (response_id, format)
    )`.execute(db);

  await sql`
    alter table packages
      add column portal_id uuid references portals on delete set null,
      add column through_portal boolean not null default false,
      add column form_response_id uuid unique references form_responses on delete set null,
      add column private boolean not null default false`.execute(db);
  await sql`create index packages_portal on packages (portal_id, created_at, id) where portal_id is not null`.execute(db);
}
