import { type Kysely, sql } from 'kysely';

const kinds = sql`array['downloaded', 'expires', 'failed']`;

/** What people are told of a package: that it was downloaded, expires tomorrow, or that something failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It takes time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`alter table teams add column notify_default text[] not null default '{}' check (notify_default <@ ${kinds})`.execute(db);
  await sql`
    alter table packages
      add column notify text[] not null default '{}' check (notify <@ ${kinds}),
      add column expiry_told boolean not null default false`.execute(db);
  await sql`
    create index packages_expiry_untold on packages (expiry)
    where state = 'finalized' and expiry is not null and not expiry_told`.execute(db);
  // subject: what it is told of once, such as a link or a failed transfer. told_at: null until messages and webhooks follow.
  await sql`
    create table notices (
      id uuid primary key,
      package_id uuid not null references packages on delete cascade,
      kind text not null check (kind in ('downloaded', 'expires', 'failed')),
      subject text not null,
      link_id uuid references links on delete set null,
      transfer_id uuid references cloud_transfers on delete set null,
      reason text not null default '',
      told_at timestamptz(3),
      created_at timestamptz(3) not null,
      unique (package_id, kind, subject)
    )`.execute(db);
  await sql`
    create table notice_refusals (
      package_id uuid not null references packages on delete cascade,
      email text not null,
      primary key (package_id, email)
    )`.execute(db);
  await sql`create index notices_waiting on notices (created_at) where told_at is null`.execute(db);
  await sql`create index notices_link on notices (link_id) where link_id is not null`.execute(db);
  await sql`create index notices_transfer on notices (transfer_id) where transfer_id is not null`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add column notice_id uuid references notices on delete cascade,
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          when 'transfer' then transfer_id is not null
          when 'portal_request' then portal_request_id is not null
          when 'notice' then notice_id is not null
          else kind in ('password_changed', 'email_changed', 'factor_added', 'factor_removed')
        end)`.execute(db);
  await sql`create unique index messages_notice on messages (notice_id, recipient) where notice_id is not null`.execute(db);
}
