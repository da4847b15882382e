import { type Kysely, sql } from 'kysely';

/** Which package a webhook was told about, so that a package's deliveries are found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It takes time in proportion to the size of the table.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql`alter table webhook_deliveries add column package_id uuid`.execute(db);
  // The first attempt has what was sent, from which the others are known.
  await sql`
    update webhook_deliveries set package_id = told.package_id
    from (
      select webhook_id, event_id,
        (case when event -> 'object' ->> 'type' = 'transfer' then event -> 'object' ->> 'package_id' else event -> 'object' ->> 'id' end)::uuid
          as package_id
      from webhook_deliveries where event is not null and not test
    ) as told
    where told.webhook_id = webhook_deliveries.webhook_id and told.event_id = webhook_deliveries.event_id`.execute(db);
  await sql`create index webhook_deliveries_package on webhook_deliveries (package_id, id) where package_id is not null`.execute(db);
}
