import { type Kysely, sql } from 'kysely';

/** What names a Portal takes, and mails that ask people to send through it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table portals
      add column name_pattern text not null default '',
      add column name_pattern_label text not null default '',
      add column name_pattern_example text not null default ''`.execute(db);
  // A deleted Portal's requests are kept, so that deleting it gives no more mails.
  await sql`
    create table portal_requests (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      portal_id uuid references portals on delete set null,
      asked_by uuid references users on delete set null,
      message text not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index portal_requests_team on portal_requests (team_id, created_at)`.execute(db);
  await sql`create index portal_requests_portal on portal_requests (portal_id)`.execute(db);
  await sql`create index portal_requests_created_at on portal_requests (created_at)`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add column portal_request_id uuid references portal_requests on delete cascade,
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          when 'transfer' then transfer_id is not null
          when 'portal_request' then portal_request_id is not null
          else kind in ('password_changed', 'email_changed')
        end)`.execute(db);
  await sql`create index messages_portal_request on messages (portal_request_id) where portal_request_id is not null`.execute(db);
}
