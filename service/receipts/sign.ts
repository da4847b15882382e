import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { keptReceiptLength } from '../caches.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { linesOf, manifestPages } from './manifest.ts';

/**
 * Signs the receipt of a package whose files no longer change, and stores the signature. The caller holds the lock of
 * the package's row. An existing signature is kept.
 */
export async function signReceipt(
  trx: Transaction<Database>,
  { receipts, urls, now, caches }: Pick<Services, 'receipts' | 'urls' | 'now' | 'caches'>,
  packageId: string,
): Promise<string> {
  const known = await trx.selectFrom('receipts').select('jws').where('package_id', '=', packageId).executeTakeFirst();
  if (known) return known.jws;
  const { name } = await trx.selectFrom('packages').select('name').where('id', '=', packageId).executeTakeFirstOrThrow();
  const hash = createHash('sha256');
  let [files, directories, bytes] = [0, 0, 0];
  const pages: string[] = [];
  let length = 0;
  for await (const entries of manifestPages(trx, packageId)) {
    const lines = linesOf(entries);
    hash.update(lines);
    length += lines.length;
    if (length <= keptReceiptLength) pages.push(lines);
    for (const { kind, size = 0 } of entries) {
      if (kind === 'directory') directories++;
      else files++;
      bytes += size;
    }
  }
  const at = now();
  const jws = await receipts.sign({
    iss: urls.base,
    iat: Math.floor(at.getTime() / 1000),
    package_id: packageId,
    package_name: name,
    files,
    directories,
    bytes,
    manifest: `sha256:${hash.digest('hex')}`,
  });
  await trx.insertInto('receipts').values({ package_id: packageId, jws, created_at: at }).execute();
  // Its sender fetches it next, and whoever is told of the package soon. It is known by its signature, so one whose transaction
  // comes to nothing is never given out.
  if (length <= keptReceiptLength) caches.receiptLines.set(jws, pages);
  return jws;
}
