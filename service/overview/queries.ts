import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { TeamOverview } from '#protocol/hosted/overview.ts';
import type { Database } from '../database/schema/database.ts';
import { toDownload } from '../links/downloads.ts';
import { keyOf } from '../packages/orders.ts';
import { visibleTo } from '../packages/visible.ts';
import { daysAfter, formatDateTime } from '../wire-times.ts';

/** Whose packages are looked at, and when. */
export interface Seen {
  readonly teamId: string;
  readonly userId: string;
  readonly seesAll: boolean;
  readonly at: Date;
}

/** Days that the overview looks back and ahead. */
const days = 7;
const listed = { expiring: 5, transfers: 10, downloads: 10 } as const;

const isSeen = ({ teamId, userId, seesAll }: Seen): RawBuilder<SqlBool> =>
  sql`packages.team_id = ${teamId} and ${visibleTo(userId, seesAll)}`;

/** What was finalized on each of the last days of a time zone; reads the entries of those days by `packages_finalized`. */
export async function finalizedByDay(db: Kysely<Database>, seen: Seen, timeZone: string): Promise<TeamOverview['days']> {
  const { rows } = await sql<{ day: string; received: boolean | null; packages: string; bytes: string }>`
    with bounds as (
      select date_trunc('day', ${seen.at}::timestamptz at time zone ${timeZone}) as today
    ), amounts as (
      select date_trunc('day', packages.finalized_at at time zone ${timeZone}) as day, packages.through_portal as received,
        count(*) as packages, sum(packages.size) as bytes
      from packages
      where packages.finalized_at is not null and ${isSeen(seen)}
        and packages.finalized_at >= ((select today from bounds) - make_interval(days => ${days - 1})) at time zone ${timeZone}
      group by 1, 2
    )
    select to_char(dates.day, 'YYYY-MM-DD') as day, amounts.received, coalesce(amounts.packages, 0) as packages, coalesce(amounts.bytes, 0) as bytes
    from bounds cross join generate_series(today - make_interval(days => ${days - 1}), today, interval '1 day') as dates (day)
    left join amounts on amounts.day = dates.day
    order by dates.day`.execute(db);
  const found = new Map<string, { sent: TeamOverview['storage']; received: TeamOverview['storage'] }>();
  for (const { day, received, packages, bytes } of rows) {
    const one = found.get(day) ?? { sent: { packages: 0, bytes: 0 }, received: { packages: 0, bytes: 0 } };
    found.set(
      day,
      received === null ? one : { ...one, [received ? 'received' : 'sent']: { packages: Number(packages), bytes: Number(bytes) } },
    );
  }
  return [...found].map(([day, amounts]) => ({ day, ...amounts }));
}

/** The sum over `packages_by_usage`, whose entries hold all that decides who sees a package: no row is read. */
export async function storageUsed(db: Kysely<Database>, seen: Seen): Promise<TeamOverview['storage']> {
  const { rows } = await sql<{ packages: string; bytes: string }>`
    select count(*) as packages, coalesce(sum(packages.usage_total_bytes), 0) as bytes
    from packages where ${isSeen(seen)} and packages.usage_total_bytes > 0`.execute(db);
  return { packages: Number(rows[0]!.packages), bytes: Number(rows[0]!.bytes) };
}

/** Finalized packages that expire soon, by `packages_by_expiry`. */
export async function soonExpiring(db: Kysely<Database>, seen: Seen): Promise<TeamOverview['expiring']> {
  const soon = sql`${isSeen(seen)} and packages.state = 'finalized'
    and ${keyOf.expiry} > ${seen.at}::timestamptz and ${keyOf.expiry} <= ${daysAfter(seen.at, days)}::timestamptz`;
  const [counted, { rows }] = await Promise.all([
    sql<{ total: string }>`select count(*) as total from packages where ${soon}`.execute(db),
    sql<{ id: string; name: string; size: string; expiry: Date }>`
      select packages.id, packages.name, packages.size, packages.expiry from packages where ${soon}
      order by ${keyOf.expiry}, packages.id limit ${listed.expiring}`.execute(db),
  ]);
  const records = rows.map(({ id, name, size, expiry }) => ({ id, name, size: Number(size), expiry: formatDateTime(expiry) }));
  return { total: Number(counted.rows[0]!.total), records };
}

/** Transfers that are not over: only those are in `cloud_transfers_due`. */
export async function transfersUnderWay(db: Kysely<Database>, seen: Seen): Promise<TeamOverview['transfers']> {
  const rows = await db
    .selectFrom('cloud_transfers')
    .innerJoin('packages', 'packages.id', 'cloud_transfers.package_id')
    .leftJoin('cloud_connections', 'cloud_connections.id', 'cloud_transfers.cloud_connection_id')
    .select(['cloud_transfers.id', 'package_id', 'packages.name as package_name', 'cloud_transfers.direction', 'cloud_transfers.state'])
    .select(['cloud_connections.name as connection_name', 'bytes', 'total_bytes', 'files', 'cloud_transfers.total_files'])
    .where('due_at', 'is not', null)
    .where('cloud_transfers.state', 'in', ['pending', 'started'])
    .where(isSeen(seen))
    .orderBy('cloud_transfers.id', 'desc')
    .limit(listed.transfers)
    .execute();
  return rows.map(({ bytes, total_bytes, files, total_files, state, connection_name: connection, ...row }) => ({
    ...row,
    ...(connection !== null && { cloud_connection_name: connection }),
    state: state === 'pending' ? 'pending' : 'started',
    progress: { bytes: Number(bytes), total_bytes: Number(total_bytes), files, total_files },
  }));
}

/** The latest downloads, by `downloads_team`. */
export async function latestDownloads(db: Kysely<Database>, seen: Seen): Promise<TeamOverview['downloads']> {
  const rows = await db
    .selectFrom('downloads')
    .innerJoin('packages', 'packages.id', 'downloads.package_id')
    .innerJoin('links', 'links.id', 'downloads.link_id')
    .select(['token_id', 'link_id', 'links.email', 'user_agent', 'address', 'started_at', 'verified'])
    .select(['downloads.package_id', 'packages.name as package_name'])
    .where('downloads.team_id', '=', seen.teamId)
    .where(isSeen(seen))
    .orderBy('started_at', 'desc')
    .orderBy('token_id', 'desc')
    .limit(listed.downloads)
    .execute();
  return rows.map((row) => ({ ...toDownload(row), package_id: row.package_id, package_name: row.package_name }));
}
