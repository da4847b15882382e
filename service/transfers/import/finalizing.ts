import type { Kysely } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../../database/schema/database.ts';

/**
 * Refuses to finalize a package into which a transfer still brings files, or removes what it has begun
 * (contract/transfers.md §7): `state_conflict`. The package is locked, so that none begins meanwhile.
 */
export async function requireNoImports(trx: Kysely<Database>, packageId: string): Promise<void> {
  const row = await trx
    .selectFrom('cloud_transfers')
    .select(['state'])
    .where('package_id', '=', packageId)
    .where('direction', '=', 'cloud_to_service')
    .where(({ or, eb }) => or([eb('state', 'in', ['pending', 'started']), eb('cleanup', '=', true)]))
    .limit(1)
    .executeTakeFirst();
  if (!row) return;
  throw new ApiError('state_conflict', {
    detail: 'A transfer still brings files into this package. Wait until it is over, or cancel it, then finalize the package again.',
  });
}
