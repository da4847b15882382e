import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** What storing a GiB for a month costs. A price of 0 is none. */
interface StoragePrice {
  readonly price: number;
  readonly currency: string;
}

/** A price from a day on (`2026-11-23`). */
export interface DatedPrice extends StoragePrice {
  readonly from: string;
}

/** Counts for all days before it, as nothing was known then. */
const always = '0001-01-01';

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * Notes a Team's new price from today on; past days keep theirs. What was said on the same day is replaced, as somebody
 * corrects it. The Team's row is locked.
 */
export async function noteStoragePrice(
  trx: Transaction<Database>,
  teamId: string,
  { price, currency }: StoragePrice,
  at: Date,
): Promise<void> {
  const today = dayOf(at);
  await sql`
    with latest as (
      select valid_from, set_on from storage_prices where team_id = ${teamId} order by valid_from desc limit 1
    )
    insert into storage_prices (team_id, valid_from, set_on, price, currency)
    select ${teamId}, coalesce((select case when set_on = ${today}::date then valid_from else ${today}::date end from latest), ${always}::date),
      ${today}::date, ${price}, ${currency}
    on conflict (team_id, valid_from) do update set set_on = excluded.set_on, price = excluded.price, currency = excluded.currency`.execute(
    trx,
  );
}

/** A Team's prices, the oldest first. */
export async function readStoragePrices(db: Kysely<Database>, teamId: string): Promise<readonly DatedPrice[]> {
  const { rows } = await sql<DatedPrice>`
    select to_char(valid_from, 'YYYY-MM-DD') as from, price, currency from storage_prices
    where team_id = ${teamId} order by valid_from`.execute(db);
  return rows;
}

/** The price of a day. 0 in another currency than `currency`: such costs cannot be added. */
export function priceOn(prices: readonly DatedPrice[], day: string, currency: string): number {
  const found = prices.findLast(({ from }) => from <= day);
  return found?.currency === currency ? found.price : 0;
}
