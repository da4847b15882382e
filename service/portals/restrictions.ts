import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { acceptsType, type PortalRestrictions } from '#protocol/portal-restrictions.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context } from '../handler.ts';
import { countTotals, isFromSender } from './package-totals.ts';
import { restrictionsOf, ruleColumns } from './rules.ts';

/**
 * Cache lifetime of a Portal's restrictions, in milliseconds. Another process may change them; finalizing the package
 * reads them again.
 */
const cacheMilliseconds = 5_000;

/** A Portal's restrictions; null: none. This process invalidates the cache when it changes the Portal. */
export async function restrictionsAt(
  { db, caches, now }: Pick<Context, 'db' | 'caches' | 'now'>,
  portalId: string,
): Promise<PortalRestrictions | null> {
  const at = now().getTime();
  const known = caches.portalRules.get(portalId);
  if (known && at - known.at < cacheMilliseconds) return known.restrictions;
  const restrictions = await readRules(db, portalId);
  caches.portalRules.set(portalId, { restrictions, at });
  return restrictions;
}

async function readRules(db: Kysely<Database>, portalId: string): Promise<PortalRestrictions | null> {
  const portal = await db.selectFrom('portals').select(ruleColumns).where('id', '=', portalId).executeTakeFirst();
  return portal ? restrictionsOf(portal) : null;
}

/** Names per statement. */
const namesPerQuery = 1_000;

/**
 * Refuses to finalize a package that violates its Portal's restrictions: the settings may have changed, or the size
 * of a file was not known when it was created. `state_conflict` says what must be removed. Within the transaction
 * that has locked the package.
 */
export async function checkRestrictions(trx: Kysely<Database>, packageId: string, portalId: string | null): Promise<void> {
  if (portalId === null) return;
  // Counted from its files now; after finalizing no totals are needed.
  await trx.deleteFrom('portal_sums').where('package_id', '=', packageId).execute();
  const restrictions = await readRules(trx, portalId);
  if (!restrictions) return;
  const { maxPackageSize, maxFileSize, maxFileCount } = restrictions;
  const refuse = (detail: string): never => {
    throw new ApiError('state_conflict', { detail: `${detail} Delete what is too much, then finalize the package again.` });
  };
  const totals = await countTotals(trx, packageId);
  if (maxFileCount > 0 && totals.files > maxFileCount) {
    refuse(`This Portal takes at most ${maxFileCount} files in a package, and this one has ${totals.files}.`);
  }
  if (maxPackageSize > 0 && totals.bytes > maxPackageSize) {
    refuse(`This Portal takes at most ${maxPackageSize} bytes in a package, and this one has ${totals.bytes}.`);
  }
  const large = maxFileSize === 0 ? null : await firstFile(trx, packageId, sql`size > ${maxFileSize}`);
  if (large) refuse(`This Portal takes files of at most ${maxFileSize} bytes, and ${large} is larger.`);
  const other = restrictions.fileTypes ? await firstOfOtherType(trx, packageId, restrictions) : null;
  if (other) refuse(`This Portal takes only files of the types ${restrictions.fileTypes?.join(', ')}, and ${other} is none.`);
}

const wholeName = sql<string>`concat(nullif(path, '') || '/', name)`;

async function firstFile(trx: Kysely<Database>, packageId: string, condition: ReturnType<typeof sql>): Promise<string | null> {
  const { rows } = await sql<{ first: string | null }>`
    select min(${wholeName} collate "C") as first from files
    where package_id = ${packageId} and kind = 'file' and ${condition} and ${isFromSender}`.execute(trx);
  return rows[0]?.first ?? null;
}

/** The database's lower case is reliable for ASCII only, so other names are checked here. */
async function firstOfOtherType(trx: Kysely<Database>, packageId: string, restrictions: PortalRestrictions): Promise<string | null> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; name: string; whole: string }>`
      select id::text, name, ${wholeName} as whole from files
      where package_id = ${packageId} and kind = 'file' and id::text > ${last} and ${isFromSender}
        and coalesce(lower(substring(name from '.(\\.[^.]*)$')), '') <> all(${restrictions.fileTypes}::text[])
      order by id::text limit ${namesPerQuery}`.execute(trx);
    const other = rows.find(({ name }) => !acceptsType(restrictions, name));
    if (other) return other.whole;
    if (rows.length < namesPerQuery) return null;
    last = rows.at(-1)!.id;
  }
}
