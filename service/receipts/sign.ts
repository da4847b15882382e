import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { linesOf, manifestPages } from './manifest.ts';

/**
 * Signs the receipt of a package whose files no longer change, and stores the signature. The caller holds the lock of
 * the package's row. An existing signature is kept.
 */
export async function signReceipt(
  trx: Transaction<Database>,
  { receipts, urls, now }: Pick<Services, 'receipts' | 'urls' | 'now'>,
  packageId: string,
): Promise<string> {
  const known = await trx.selectFrom('receipts').select('jws').where('package_id', '=', packageId).executeTakeFirst();
  if (known) return known.jws;
  const { name } = await trx.selectFrom('packages').select('name').where('id', '=', packageId).executeTakeFirstOrThrow();
  const hash = createHash('sha256');
  let [files, directories, bytes] = [0, 0, 0];
  for await (const entries of manifestPages(trx, packageId)) {
    hash.update(linesOf(entries));
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
  return jws;
}
