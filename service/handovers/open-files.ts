import { sql } from 'kysely';
import type { Context } from '../handler.ts';

/** Files that are looked at: an app has few more under way, and each is a look into the storage. */
const maxFiles = 8;

/**
 * Bytes that the storage has of a package's files that are not whole yet. Nobody tells the service which uploads are open,
 * so the storage is asked: a large file moves for hours before it counts. Those begun last are under way.
 */
export async function bytesOfOpenFiles({ db, storage }: Pick<Context, 'db' | 'storage'>, packageId: string): Promise<number> {
  const files = await db
    .selectFrom('files')
    .select('id')
    .where('package_id', '=', packageId)
    .where('kind', '=', 'file')
    .where('state', '=', 'new')
    // Others have one part, and are whole with it.
    .where((where) => where.or([where('size', 'is', null), sql<boolean>`size > chunk_size`]))
    .orderBy('id', 'desc')
    .limit(maxFiles)
    .execute();
  // What cannot be looked at now counts as before: when it is whole.
  const bytes = await Promise.all(files.map(({ id }) => storage.bytesReceived(id).catch(() => 0)));
  return bytes.reduce((sum, one) => sum + one, 0);
}
