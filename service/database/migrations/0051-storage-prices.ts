import { type Kysely, sql } from 'kysely';

/** What storing costs a Team, by the day from when on it does; a price from before counts for all days until then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table storage_prices (
      team_id uuid not null references teams on delete cascade,
      valid_from date not null,
      set_on date not null,
      price double precision not null check (price >= 0),
      currency text not null,
      primary key (team_id, valid_from)
    )`.execute(db);
  await sql`
    insert into storage_prices (team_id, valid_from, set_on, price, currency)
    select id, '0001-01-01', '0001-01-01', storage_price, storage_currency from teams where storage_price > 0`.execute(db);
}
