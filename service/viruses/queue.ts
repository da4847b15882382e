import type { Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';

/** Has a package's files scanned, once the transaction that finalizes it is committed. Without a scanner nothing waits for one. */
export async function queueScan(
  trx: Transaction<Database>,
  { scanner, jobs, now }: Pick<Services, 'scanner' | 'jobs' | 'now'>,
  packageId: string,
): Promise<void> {
  if (!scanner) return;
  const at = now();
  await trx.insertInto('package_scans').values({ package_id: packageId, created_at: at, due_at: at }).execute();
  await jobs.add(trx, 'viruses.scan', {});
}
