import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StorageUsage } from '#protocol/hosted/usage.ts';
import type { Database } from '../database/schema/database.ts';

const day = 24 * 3_600_000;
/** Days that are counted anew where they were not recorded, because the service did not run. */
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
 * Which packages took storage at the end of a day: those finalized by then that are there still, or that ended later.
 * Packages that end have their end as expiry, and their rows stay, so this is right for past days too.
 */
const storedAtEndOf = (column: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  packages.finalized_at < (${column} + 1)::timestamp at time zone 'UTC'
  and (packages.usage_total_bytes > 0 or packages.expiry >= (${column} + 1)::timestamp at time zone 'UTC')`;

/**
 * Writes down what each Team had stored at the end of yesterday, and of the days before that were missed. Days that are
 * written down stay as they are.
 */
export async function recordStorageDays(db: Kysely<Database>, now: Date, signal: AbortSignal): Promise<void> {
  const { rows } = await sql<{ last: string | null }>`select to_char(max(day), 'YYYY-MM-DD') as last from storage_days`.execute(db);
  const last = rows[0]?.last ?? '';
  for (let ago = recountedDays; ago >= 1; ago -= 1) {
    const wanted = daysBefore(now, ago);
    if (wanted <= last) continue;
    signal.throwIfAborted();
    await sql`
      insert into storage_days (team_id, day, bytes, packages)
      select teams.id, ${wanted}::date, coalesce(sum(packages.size), 0), count(packages.id)
      from teams left join packages on packages.team_id = teams.id and ${storedAtEndOf(sql`${wanted}::date`)}
      where teams.created_at < (${wanted}::date + 1)::timestamp at time zone 'UTC'
      group by teams.id
      on conflict do nothing`.execute(db);
  }
  await sql`delete from storage_days where day < ${daysBefore(now, keptDays)}::date`.execute(db);
}

/**
 * What a Team had stored at the end of each of the last days, the oldest first; of today what it has now. Days before the
 * Team was made are left out, and so are those that were neither recorded nor can be counted anew.
 */
export async function readStorageDays(db: Kysely<Database>, teamId: string, now: Date, days: number): Promise<readonly StoredDay[]> {
  const today = dayOf(now);
  const { rows } = await sql<StoredDay>`
    with asked as (
      select dates.day::date as day
      from generate_series(${daysBefore(now, days - 1)}::date, ${today}::date, interval '1 day') as dates (day)
    )
    select to_char(asked.day, 'YYYY-MM-DD') as day,
      coalesce(storage_days.bytes, counted.bytes)::bigint as bytes, coalesce(storage_days.packages, counted.packages)::integer as packages
    from asked
    join teams on teams.id = ${teamId} and asked.day >= (teams.created_at at time zone 'UTC')::date
    left join storage_days on storage_days.team_id = teams.id and storage_days.day = asked.day
    left join lateral (
      select coalesce(sum(packages.size), 0) as bytes, count(*) as packages from packages
      where packages.team_id = teams.id and ${storedAtEndOf(sql`asked.day`)}
        -- In here, and not at the join: else the packages are read for days that are written down, too.
        and storage_days.day is null and asked.day >= ${daysBefore(now, recountedDays)}::date and asked.day < ${today}::date
    ) as counted on true
    where asked.day < ${today}::date and (storage_days.day is not null or asked.day >= ${daysBefore(now, recountedDays)}::date)
    union all
    select ${today}, coalesce(sum(packages.usage_total_bytes), 0)::bigint, count(*)::integer
    from packages where packages.team_id = ${teamId} and packages.usage_total_bytes > 0
    order by day`.execute(db);
  return rows;
}

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
