import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { gatewayProviders } from '../gateways/providers.ts';
import type { Services } from '../handler.ts';
import { takeFromGateways } from './gateway-transfers.ts';

/** What the end of a package means for its transfers (contract/transfers.md §6). */

/** So long a package that has expired is kept for its transfers. */
export const keptForTransfersDays = 7;

const dayMilliseconds = 24 * 3_600_000;
const active = sql`state in ('pending', 'started')`;

/** Whether the package of the current row may expire: nothing transfers it, or it has been kept for that long enough. */
export const mayExpire = (at: Date) => sql<SqlBool>`(
  packages.expiry <= ${new Date(at.getTime() - keptForTransfersDays * dayMilliseconds)}::timestamptz
  or not exists (select from cloud_transfers where cloud_transfers.package_id = packages.id and cloud_transfers.${active}))`;

/** Tells of the transfers that a package is kept for. */
export async function tellOfKeptPackages(db: Kysely<Database>, at: Date): Promise<void> {
  await sql`
    update cloud_transfers set message = 'The package has expired. It is kept for this transfer, at most until '
      || to_char((packages.expiry + make_interval(days => ${keptForTransfersDays})) at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC.'
    from packages
    where packages.id = cloud_transfers.package_id and cloud_transfers.due_at is not null and cloud_transfers.${active}
      and cloud_transfers.message = '' and packages.state = 'finalized' and packages.expiry <= ${at}::timestamptz`.execute(db);
}

/**
 * Ends the transfers of packages that have ended, in the transaction `db`: what they have begun at the provider is removed, also
 * what one that failed has left there for a retry.
 */
export async function endTransfers(
  db: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  packageIds: readonly string[],
): Promise<void> {
  const byGateways = await db
    .selectFrom('cloud_transfers')
    .select('id')
    .where('package_id', 'in', packageIds)
    .where('provider', 'in', gatewayProviders)
    .where('state', 'in', ['pending', 'started'])
    .forUpdate()
    .execute();
  const ids = byGateways.map(({ id }) => id);
  if (ids.length > 0) await takeFromGateways(db, { jobs, now }, ids, 'Its package was deleted or has expired.');
  const { rows } = await sql<{ due: boolean }>`
    update cloud_transfers set
      message = case when ${active} then 'Its package was deleted or has expired.' else message end,
      state = case when ${active} then 'cancelled' else state end,
      cleanup = planned,
      due_at = case when lease_id is not null then due_at when planned then clock_timestamp() end,
      sealed_authorization = case when lease_id is null and not planned then null else sealed_authorization end,
      updated_at = ${now()}::timestamptz
    where package_id = any(${packageIds}::uuid[]) and (${active} or (state = 'error' and folder is not null))
    returning due_at is not null as due`.execute(db);
  if (rows.some(({ due }) => due)) await jobs.add(db, 'transfers.run', {});
}

/** What transfers of either direction remember of their files. */
const journals = [
  'cloud_transfer_files',
  'cloud_transfer_names',
  'cloud_import_items',
  'cloud_import_files',
  'cloud_import_chunks',
  'gateway_files',
] as const satisfies readonly (keyof Database)[];

/** Deletes what a transfer that cannot be taken up again has remembered of its files. */
export async function forgetFiles(db: Kysely<Database>, transferId: string): Promise<void> {
  for (const table of journals) await db.deleteFrom(table).where('transfer_id', '=', transferId).execute();
}

/** The same for the transfers of a package that was freed, but for those that still remove something. */
export async function forgetTransferFiles(db: Kysely<Database>, packageId: string): Promise<void> {
  const over = db.selectFrom('cloud_transfers').select('id').where('package_id', '=', packageId).where('due_at', 'is', null);
  for (const table of journals) await db.deleteFrom(table).where('transfer_id', 'in', over).execute();
}
