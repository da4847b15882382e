import type { Kysely, Transaction } from 'kysely';
import type { ApiError } from '#protocol/errors.ts';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import type { PackageFacts } from '../caches.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context } from '../handler.ts';
import { requireOpenForFiles } from '../packages/package-facts.ts';
import { lockPackage, readTotals, storeTotals } from '../portals/package-totals.ts';
import { restrictionsAt } from '../portals/restrictions.ts';
import { addTotals, contributionOf, limitsTotals, noTotals, refusalOf, subtractTotals } from '../portals/rules.ts';
import { noteRefusal, quotaRefusal } from '../quotas/refusal.ts';
import { insertRecorded } from './record-rows.ts';
import { type Insertion, insertFiles, type NewFile } from './writes.ts';

/** The result for one requested file: the Portal's refusal, or the result of its creation. */
type Added = { readonly refusal: ApiError } | { readonly refusal: null; readonly made: Insertion };

type Parts = Pick<Context, 'db' | 'caches' | 'now' | 'fileWrites'>;

/**
 * Creates files of one package, as far as its Portal and the quotas accept each: a refused file does not affect the
 * others. No two may have the same path and name. Throws if the package accepts no files at all.
 */
export async function addFiles(
  context: Parts,
  facts: Pick<PackageFacts, 'portalId'>,
  files: readonly NewFile[],
): Promise<readonly Added[]> {
  try {
    return await addTogether(context, facts, files);
  } catch (error) {
    const refusal = quotaRefusal(error);
    // The caller's transaction has failed with the statement.
    if (!refusal || context.db.isTransaction) throw refusal ?? error;
    if (files.length === 1) {
      await noteRefusal(context.db, refusal, context.now());
      return [{ refusal }];
    }
    const half = files.length >> 1;
    const first = await addFiles(context, facts, files.slice(0, half));
    return [...first, ...(await addFiles(context, facts, files.slice(half)))];
  }
}

async function addTogether(
  context: Parts,
  { portalId }: Pick<PackageFacts, 'portalId'>,
  files: readonly NewFile[],
): Promise<readonly Added[]> {
  const packageId = files[0]?.package_id;
  if (packageId === undefined) return [];
  const restrictions = portalId === null ? null : await restrictionsAt(context, portalId);
  if (!restrictions || !limitsTotals(restrictions)) {
    const refusals = files.map((file) => restrictions && refusalOf(restrictions, file, noTotals));
    return await insertAccepted(files, refusals, (rest) => insert(context, rest));
  }
  const add = () => inTransaction(context.db, (trx) => addLimited(trx, restrictions, packageId, files));
  // An open transaction holds a connection already. If it waited here for another call, that call might get none: a
  // deadlock.
  return context.db.isTransaction ? await add() : await context.fileWrites.withPackageLock(packageId, add);
}

/** Serialised with all other creations in this package: its totals are counted under its lock. */
async function addLimited(
  trx: Transaction<Database>,
  restrictions: PortalRestrictions,
  packageId: string,
  files: readonly NewFile[],
): Promise<readonly Added[]> {
  if (!(await lockPackage(trx, packageId))) await requireOpenForFiles({ db: trx }, packageId);
  const { totals: before, existing } = await readTotals(trx, packageId, files);
  let totals = before;
  const refusals = files.map((file) => {
    const present = existing.get(file.place);
    // A finalized file is never replaced, so nothing changes, whatever is stated about it.
    if (present?.state === 'finalized') return null;
    const rest = subtractTotals(totals, present?.contribution ?? noTotals);
    const refusal = refusalOf(restrictions, file, rest);
    if (!refusal) totals = addTotals(rest, contributionOf(file));
    return refusal;
  });
  const added = await insertAccepted(files, refusals, (rest) => insertAll(trx, rest));
  await storeTotals(trx, packageId, totals);
  return added;
}

async function insertAccepted(
  files: readonly NewFile[],
  refusals: readonly (ApiError | null)[],
  write: (files: readonly NewFile[]) => Promise<readonly Insertion[]>,
): Promise<readonly Added[]> {
  const others = files.filter((_, index) => !refusals[index]);
  const made = others.length === 0 ? [] : await write(others);
  let next = 0;
  return refusals.map((refusal) => (refusal ? { refusal } : { refusal: null, made: made[next++]! }));
}

/** A single file is batched with those of other requests, unless it is in its own transaction (under an Idempotency-Key). */
async function insert({ db, fileWrites }: Pick<Parts, 'db' | 'fileWrites'>, files: readonly NewFile[]): Promise<readonly Insertion[]> {
  if (files.length === 1 && !db.isTransaction && !files[0]!.end) return [await fileWrites.insert(files[0]!)];
  return await insertAll(db, files);
}

/** Files that are recorded with their bytes come together, and with folders alone. */
const insertAll = (db: Kysely<Database>, files: readonly NewFile[]): Promise<Insertion[]> =>
  files.some(({ end }) => end) ? insertRecorded(db, files) : insertFiles(db, files);
