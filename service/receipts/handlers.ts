import { ApiError } from '#protocol/errors.ts';
import { receiptHead } from '#protocol/receipt.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HandlersOf, Services } from '../handler.ts';
import { seePackage } from '../packages/access.ts';
import { linesOf, manifestPages } from './manifest.ts';
import { signReceipt } from './sign.ts';

/** Receipts of packages (docs/decisions/0019). */
export const receiptHandlers: HandlersOf<'getReceipt' | 'serviceKeys'> = {
  async getReceipt({ params }, context) {
    const { row } = await seePackage(context, params.package_id);
    // It names all files, also those that a filter leaves out.
    if (context.credential.task)
      throw new ApiError('not_allowed', { detail: 'The task of a storage gateway takes files, and no receipt.' });
    const jws = await signatureOf(context, params.package_id);
    if (jws === null) throw new ApiError(row.state === 'new' ? 'state_conflict' : 'package_expired', { detail: notYet });
    return lines(context, params.package_id, jws);
  },

  serviceKeys: async (_, { receipts }) => ({ keys: [receipts.key] }),
};

const notYet = 'This package is not finalized yet, so it has no receipt.';

/** Null unless the package is finalized. A package that was finalized by an earlier version is signed now. */
async function signatureOf(services: Services, packageId: string): Promise<string | null> {
  const { db } = services;
  const row = await db
    .selectFrom('packages')
    .leftJoin('receipts', 'receipts.package_id', 'packages.id')
    .select(['packages.state', 'receipts.jws'])
    .where('packages.id', '=', packageId)
    .executeTakeFirst();
  if (row?.state !== 'finalized') return null;
  if (row.jws !== null) return row.jws;
  return await inTransaction(db, async (trx) => {
    const locked = await trx.selectFrom('packages').select('state').where('id', '=', packageId).forUpdate().executeTakeFirst();
    return locked?.state === 'finalized' ? await signReceipt(trx, services, packageId) : null;
  });
}

/** The stream is cut off if the package ends meanwhile, so that nobody takes a part for the whole receipt. */
async function* lines({ db, caches }: Services, packageId: string, jws: string): AsyncGenerator<string> {
  yield receiptHead(jws);
  const kept = caches.receiptLines.get(jws);
  for await (const page of kept ?? pagesOf(db, packageId)) {
    const row = await db.selectFrom('packages').select('state').where('id', '=', packageId).executeTakeFirst();
    if (row?.state !== 'finalized') throw new ApiError('package_expired');
    yield page;
  }
}

async function* pagesOf(db: Services['db'], packageId: string): AsyncGenerator<string> {
  for await (const entries of manifestPages(db, packageId)) yield linesOf(entries);
}
