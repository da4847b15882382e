import { type Kysely, sql } from 'kysely';

/** Links that ask their recipient for a code, mailed to the link's address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table packages add column verify_recipient boolean not null default false`.execute(db);
  await sql`
    alter table links add column verify_recipient boolean not null default false,
      add constraint links_verified_email check (not verify_recipient or email <> '')`.execute(db);
  await sql`alter table downloads add column verified boolean not null default false`.execute(db);
  await sql`
    create table link_codes (
      link_id uuid primary key references links on delete cascade,
      message_id uuid not null unique references messages on delete cascade,
      guesses integer not null default 0,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages add constraint messages_kind_check check (
      case kind
        when 'link' then package_id is not null
        when 'receipt' then package_id is not null
        when 'invitation' then invitation_id is not null
        when 'password_reset' then password_reset_id is not null
        when 'transfer' then transfer_id is not null
        when 'portal_request' then portal_request_id is not null
        when 'notice' then notice_id is not null
        else kind in (
          'password_changed', 'email_confirmation', 'email_change_asked', 'email_changed', 'factor_added', 'factor_removed', 'link_code')
      end)`.execute(db);
}
