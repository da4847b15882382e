import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/**
 * Forgets the credentials of deleted connections that no transfer uses any more: of one, or of all. Their rows stay, since
 * transfers name them. None of these can be taken up again (contract/transfers.md §2).
 */
export async function forgetSecrets(db: Kysely<Database>, connectionId?: string): Promise<void> {
  await db
    .updateTable('cloud_connections')
    .set({ sealed_authorization: Buffer.alloc(0) })
    .where('deleted_at', 'is not', null)
    .where(sql<number>`length(sealed_authorization)`, '>', 0)
    .$if(connectionId !== undefined, (update) => update.where('id', '=', connectionId!))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('cloud_transfers')
            .select('cloud_transfers.id')
            .whereRef('cloud_transfers.cloud_connection_id', '=', 'cloud_connections.id')
            .where('due_at', 'is not', null),
        ),
      ),
    )
    .execute();
}
