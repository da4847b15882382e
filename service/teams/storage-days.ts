import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StorageUsage } from '#protocol/hosted/usage.ts';
import type { Database } from '../database/schema/database.ts';

const day = 24 * 3_600_000;
/** Days that are written down later where the service did not run. */
const recountedDays = 31;
const keptDays = 400;

/** The day of a moment in UTC, `2026-11-23`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const daysBefore = (at: Date, days: number): string => dayOf(new Date(at.getTime() - days * day));

interface StoredDay {
  readonly day: string;
  readonly bytes: number;
  readonly packages: number;
}

/**
 * Rows of `storage_days` from the day `first` to `last`, of all Teams there were, by one reading of all packages however many
 * days there are. A package is stored from the day on which it was finalized to the one before it ended. Packages that end
 * have their end as expiry, and their rows stay, so this is right for past days too.
 */
export const storedOn = (first: string, last: string): RawBuilder<unknown> => sql`
  with spans as (
    select packages.team_id,
      greatest((packages.finalized_at at time zone 'UTC')::date, ${first}::date) as begins,
      case when packages.usage_total_bytes = 0 and packages.expiry < (${last}::date + 1)::timestamp at time zone 'UTC'
        then (packages.expiry at time zone 'UTC')::date end as ends,
      sum(packages.size) as bytes, count(*) as packages
    from packages
    where packages.finalized_at < (${last}::date + 1)::timestamp at time zone 'UTC'
      and (packages.usage_total_bytes > 0 or packages.expiry >= (${first}::date + 1)::timestamp at time zone 'UTC')
    group by 1, 2, 3
  ),
  changes as (
    select team_id, day, sum(bytes) as bytes, sum(packages) as packages from (
      select team_id, begins as day, bytes, packages from spans
      union all
      select team_id, greatest(begins, ends), -bytes, -packages from spans where ends is not null
    ) as one
    group by 1, 2
  ),
  sums as (
    select teams.id as team_id, teams.created_at, days.day,
      coalesce(sum(changes.bytes) over before_and_on, 0) as bytes, coalesce(sum(changes.packages) over before_and_on, 0) as packages
    from teams
    cross join (select day::date from generate_series(${first}::date, ${last}::date, interval '1 day') as dates (day)) as days
    left join changes on changes.team_id = teams.id and changes.day = days.day
    window before_and_on as (partition by teams.id order by days.day)
  )
  select team_id, day, bytes::bigint, packages::integer from sums
  where created_at < (day + 1)::timestamp at time zone 'UTC'`;

/**
 * Writes down what each Team had stored at the end of yesterday, and of the days before that were missed. Days that are
 * written down stay as they are.
 */
export async function recordStorageDays(db: Kysely<Database>, now: Date): Promise<void> {
  const { rows } = await sql<{ next: string | null }>`select to_char(max(day) + 1, 'YYYY-MM-DD') as next from storage_days`.execute(db);
  const oldest = daysBefore(now, recountedDays);
  const next = rows[0]?.next ?? oldest;
  const first = next > oldest ? next : oldest;
  const last = daysBefore(now, 1);
  if (first <= last) {
    await db.transaction().execute(async (trx) => {
      // It takes time in proportion to the number of packages.
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`insert into storage_days (team_id, day, bytes, packages) ${storedOn(first, last)} on conflict do nothing`.execute(trx);
    });
  }
  await sql`delete from storage_days where day < ${daysBefore(now, keptDays)}::date`.execute(db);
}

/**
 * What a Team had stored at the end of each of the last days, the oldest first; of today what it has now. Days that are not
 * written down are left out: counting them reads all packages, which nobody who asks shall wait for.
 */
export async function readStorageDays(db: Kysely<Database>, teamId: string, now: Date, days: number): Promise<readonly StoredDay[]> {
  return (await storageDays(teamId, now, days).execute(db)).rows;
}

export const storageDays = (teamId: string, now: Date, days: number): RawBuilder<StoredDay> => sql<StoredDay>`
  select to_char(day, 'YYYY-MM-DD') as day, bytes, packages from storage_days
  where team_id = ${teamId} and day >= ${daysBefore(now, days - 1)}::date and day < ${dayOf(now)}::date
  union all
  select ${dayOf(now)}, coalesce(sum(packages.usage_total_bytes), 0)::bigint, count(*)::integer
  from packages where packages.team_id = ${teamId} and packages.usage_total_bytes > 0
  order by day`;

const GiB = 1024 ** 3;

/** The days with what each cost, by the price that a GiB and month had then; a day costs its share of the month that it is in. */
export function withCosts(days: readonly StoredDay[], priceOf: (day: string) => number): StorageUsage['days'] {
  return days.map((one) => {
    const price = priceOf(one.day);
    return { ...one, ...(price > 0 && { cost: costOf(one, price) }) };
  });
}

function costOf({ day: name, bytes }: StoredDay, price: number): number {
  const [year, month] = name.split('-').map(Number);
  const daysOfMonth = new Date(Date.UTC(year!, month!, 0)).getUTCDate();
  // Millionths: what a small Team pays for a day is not lost, and sums stay exact enough.
  return Math.round(((bytes / GiB) * price * 1e6) / daysOfMonth) / 1e6;
}
