import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';

export const zipDamaged = (file: string): ApiError => new ApiError('zip_damaged', { file });

/**
 * Refuses a zip with a file that a check has found damaged, before a byte of it goes out: `zip_damaged`. `entries`: the ids of
 * its files; left out, all of the package's. What no check has found yet cuts the zip off where it comes to it.
 */
export async function requireWhole(db: Kysely<Database>, packageId: string, entries?: () => ReadonlySet<string>): Promise<void> {
  const found = await db
    .selectFrom('integrity_findings')
    .select(['file_id', 'file_name'])
    .where('package_id', '=', packageId)
    .where('kind', 'in', ['missing', 'damaged'])
    .orderBy('file_name')
    .execute();
  if (found.length === 0) return;
  const ids = entries?.();
  const first = found.find(({ file_id }) => file_id !== null && (ids?.has(file_id) ?? true));
  if (first) throw zipDamaged(first.file_name ?? '');
}
