import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { newId } from '../ids.ts';
import { addTransfers, destinationOfConnection } from './create.ts';

/**
 * Adds a transfer for each connection that the package's Portal has attached, in the transaction that finalizes the package
 * (contract/transfers.md §1). Each keeps the rules of its filter as they are now.
 */
export async function addPortalTransfers(
  trx: Kysely<Database>,
  { jobs, seal, now }: Pick<Services, 'jobs' | 'seal' | 'now'>,
  row: { readonly id: string; readonly portalId: string; readonly size: number; readonly totalFiles: number },
): Promise<void> {
  const attached = await trx
    .selectFrom('portal_connections')
    .innerJoin('cloud_connections', 'cloud_connections.id', 'portal_connections.connection_id')
    .leftJoin('filters', 'filters.id', 'portal_connections.filter_id')
    .select([
      'cloud_connections.id',
      'cloud_connections.provider',
      'cloud_connections.sealed_authorization',
      'cloud_connections.target_directory_id',
      // As text, as it is stored again.
      sql<string | null>`filters.rules::text`.as('rules'),
    ])
    .where('portal_connections.portal_id', '=', row.portalId)
    .where('cloud_connections.deleted_at', 'is', null)
    .orderBy('portal_connections.position')
    // Whoever deletes one waits, and then sees its transfer: its credentials are kept for that.
    .forShare('cloud_connections')
    .execute();
  await addTransfers(
    trx,
    { jobs, now },
    attached.map((connection) => ({
      id: newId(),
      package_id: row.id,
      cloud_connection_id: connection.id,
      direction: 'service_to_cloud' as const,
      provider: connection.provider,
      sealed_authorization: null,
      destination: destinationOfConnection(seal, connection),
      target_directory_id: connection.target_directory_id,
      filter_rules: connection.rules,
      // What a filter lets through is counted when it begins.
      total_bytes: connection.rules === null ? row.size : 0,
      total_files: connection.rules === null ? row.totalFiles : 0,
      notify_email: '',
      notify_language: 'en' as const,
    })),
  );
}
