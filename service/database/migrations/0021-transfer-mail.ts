import { type Kysely, sql } from 'kysely';

/** Mail that tells of the end of a transfer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add column transfer_id uuid references cloud_transfers on delete cascade,
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          when 'transfer' then transfer_id is not null
          else kind in ('password_changed', 'email_changed')
        end)`.execute(db);
  await sql`create index messages_transfer on messages (transfer_id) where transfer_id is not null`.execute(db);
}
