import { type Kysely, sql } from 'kysely';

/** E-mail addresses that people want for their accounts, and the mails by which they are confirmed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // One row a mail: those that are over are kept for a while, so that late visitors get an explanation and mails can be counted.
  await sql`
    create table email_changes (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      email text not null,
      token_hash bytea not null unique,
      state text not null default 'open' check (state in ('open', 'confirmed', 'ended')),
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create unique index email_changes_open on email_changes (user_id) where state = 'open'`.execute(db);
  await sql`create index email_changes_user on email_changes (user_id, created_at)`.execute(db);
  await sql`create index email_changes_expires_at on email_changes (expires_at)`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          when 'transfer' then transfer_id is not null
          when 'portal_request' then portal_request_id is not null
          when 'notice' then notice_id is not null
          else kind in ('password_changed', 'email_confirmation', 'email_change_asked', 'email_changed', 'factor_added', 'factor_removed')
        end)`.execute(db);
}
