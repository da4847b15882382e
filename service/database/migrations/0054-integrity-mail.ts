import { type Kysely, sql } from 'kysely';

/** Operators are told of stored files that are missing or damaged. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
          'password_changed', 'email_confirmation', 'email_change_asked', 'email_changed', 'factor_added', 'factor_removed', 'link_code',
          'storage_damaged')
      end)`.execute(db);
}
