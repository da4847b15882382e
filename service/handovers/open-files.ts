import { sql } from 'kysely';
import type { Context } from '../handler.ts';
import { filesToLookAt } from './looks.ts';

/** More open files than a page begins; others count once they are whole. */
const maxFiles = 512;

/**
 * Bytes that the storage has of a package's files that are not whole yet. Nobody tells the service which uploads are open,
 * so the storage is asked: a large file moves for hours before it counts. Each file is a look into the storage, so not all
 * are looked at in each call: the others count as they were last seen.
 */
export async function bytesOfOpenFiles(
  { db, storage, caches }: Pick<Context, 'db' | 'storage' | 'caches'>,
  packageId: string,
): Promise<number> {
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
  const before = caches.openFiles.get(packageId) ?? new Map();
  const looks = filesToLookAt(
    files.map(({ id }) => id),
    before,
  );
  // What cannot be looked at now counts as before.
  const seen = await Promise.all(
    looks.map(async (id) => [id, await storage.bytesReceived(id).catch(() => before.get(id)?.bytes ?? 0)] as const),
  );
  const now = new Map([...before].filter(([id]) => files.some((file) => file.id === id)));
  // In the order of the looks: the last ones stand last.
  for (const [id, bytes] of seen) {
    now.delete(id);
    now.set(id, { bytes, moves: bytes !== (before.get(id)?.bytes ?? 0) });
  }
  caches.openFiles.set(packageId, now);
  let sum = 0;
  for (const { bytes } of now.values()) sum += bytes;
  return sum;
}
