import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { UsageRecord, usageKinds } from '#protocol/hosted/usage.ts';
import { csvText } from '../csv.ts';
import type { Database } from '../database/schema/database.ts';
import type { HandlersOf } from '../handler.ts';
import { readTeamQuotas } from '../quotas/read.ts';
import { daysAfter, formatDateTime, parseRangeEnd, parseRangeStart } from '../wire-times.ts';
import { teamAccess } from './access.ts';
import { readStorageDays, withCosts } from './storage-days.ts';
import { priceOn, readStoragePrices } from './storage-prices.ts';

type UsageKind = (typeof usageKinds)[number];

/** The column that packages are counted by, which of them belong there, and where the names are. */
const kinds: Readonly<
  Record<UsageKind, { readonly key: string; readonly only: RawBuilder<unknown>; readonly names: RawBuilder<unknown> }>
> = {
  member: { key: 'created_by', only: sql`not through_portal`, names: sql`select name, email from users where users.id = counted.key` },
  teamspace: {
    key: 'teamspace_id',
    only: sql`true`,
    names: sql`select name, null as email from teamspaces where teamspaces.id = counted.key`,
  },
  portal: {
    key: 'portal_id',
    only: sql`through_portal`,
    names: sql`select name, null as email from portals where portals.id = counted.key`,
  },
};

/** The most records of one answer. */
const maxRecords = 10_000;

interface Asked {
  readonly by: UsageKind;
  readonly from?: string;
  readonly to?: string;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** All that was finalized in a period is read for one answer, so a period has an end. */
const maxDays = 366;

/** Errors: `invalid_request`. */
function periodOf({ from, to }: Asked, now: Date): Period {
  const end = to === undefined ? now : parseRangeEnd(to, 'to').at;
  const start = from === undefined ? daysAfter(end, -30) : parseRangeStart(from, 'from').at;
  if (end < start) throw new ApiError('invalid_request', { detail: 'to: it lies before from.' });
  if (end > daysAfter(start, maxDays)) {
    throw new ApiError('invalid_request', { detail: `from: a period has at most ${maxDays} days. Ask for one year after the other.` });
  }
  return { from: start, to: end };
}

interface Counted {
  readonly key: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly sent_packages: number;
  readonly sent_bytes: number;
  readonly received_packages: number;
  readonly received_bytes: number;
  readonly downloaded_packages: number;
}

/** Counted in the database by two index scans: of the packages finalized in the period, and of the downloads since. */
export async function countUsage(
  db: Kysely<Database>,
  teamId: string,
  by: UsageKind,
  { from, to }: Period,
): Promise<readonly UsageRecord[]> {
  const { key, only, names } = kinds[by];
  const { rows } = await sql<Counted>`
    with downloaded as (select distinct package_id from downloads where team_id = ${teamId} and started_at >= ${from}::timestamptz),
    counted as (
      select ${sql.ref(key)} as key,
        count(*) filter (where not through_portal) as sent_packages,
        coalesce(sum(size) filter (where not through_portal), 0)::bigint as sent_bytes,
        count(*) filter (where through_portal) as received_packages,
        coalesce(sum(size) filter (where through_portal), 0)::bigint as received_bytes,
        count(downloaded.package_id) as downloaded_packages
      from packages left join downloaded on downloaded.package_id = packages.id
      where team_id = ${teamId} and finalized_at >= ${from}::timestamptz and finalized_at < ${to}::timestamptz and ${only}
      group by 1
    )
    select counted.*, named.name, named.email from counted left join lateral (${names}) named on true
    order by sent_bytes + received_bytes desc, key limit ${maxRecords}`.execute(db);
  const there = rows.flatMap(({ key, name, email, ...counts }): UsageRecord[] =>
    key === null || name === null ? [] : [{ id: key, name, ...(email !== null && { email }), ...counts }],
  );
  const gone = rows.filter(({ key, name }) => key === null || name === null);
  return gone.length === 0 ? there : [...there, gone.reduce<UsageRecord>(added, { name: '', ...nothing })];
}

const nothing = { sent_packages: 0, sent_bytes: 0, received_packages: 0, received_bytes: 0, downloaded_packages: 0 };

/** What belongs to none, or to one that is gone, is one record. */
const added = (sum: UsageRecord, one: Counted): UsageRecord => ({
  name: '',
  sent_packages: sum.sent_packages + one.sent_packages,
  sent_bytes: sum.sent_bytes + one.sent_bytes,
  received_packages: sum.received_packages + one.received_packages,
  received_bytes: sum.received_bytes + one.received_bytes,
  downloaded_packages: sum.downloaded_packages + one.downloaded_packages,
});

const columns = [
  'id',
  'name',
  'email',
  'sent_packages',
  'sent_bytes',
  'received_packages',
  'received_bytes',
  'downloaded_packages',
] as const;

/** Usage of a Team (contract/teams-and-members.md §8). */
export const usageHandlers: HandlersOf<'getUsage' | 'exportUsage' | 'getStorageUsage'> = {
  async getStorageUsage({ params, query }, context) {
    const { db, now } = context;
    const { teamId } = await teamAccess(context, params.team_id, 'team.manage');
    const [{ storage_price: price, storage_currency: currency }, prices, days, quotas] = await Promise.all([
      db.selectFrom('teams').select(['storage_price', 'storage_currency']).where('id', '=', teamId).executeTakeFirstOrThrow(),
      readStoragePrices(db, teamId),
      readStorageDays(db, teamId, now(), query.days),
      readTeamQuotas(db, teamId, now()),
    ]);
    const priceOf = (day: string): number => (price > 0 ? priceOn(prices, day, currency) : 0);
    return { price, currency, days: withCosts(days, priceOf), quotas };
  },

  async getUsage({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'team.manage');
    const period = periodOf(query, context.now());
    const records = await countUsage(context.db, teamId, query.by, period);
    return { from: formatDateTime(period.from), to: formatDateTime(period.to), records: [...records] };
  },

  async exportUsage({ params, query }, context) {
    const { teamId } = await teamAccess(context, params.team_id, 'team.manage');
    const records = await countUsage(context.db, teamId, query.by, periodOf(query, context.now()));
    const lines = records.map((record) => columns.map((name) => record[name] ?? ''));
    return csvText([columns, ...lines]);
  },
};
