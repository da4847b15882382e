import type { Updateable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CredentialOf } from '../credentials/credential.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { isId } from '../ids.ts';
import { toldBeforeMilliseconds } from '../notices/expiries.ts';
import { readPolicies, requireExpiry } from '../teams/policies.ts';
import { parseDateTime } from '../wire-times.ts';
import { managePackage } from './access.ts';
import { type PackageRow, selectPackages, toPackage } from './row.ts';
import { transition } from './state-machine.ts';

type Managing = Context<CredentialOf<'package:manage'>>;

/** A package can be changed until it expires, whether or not the expiry job has run yet; one on hold also after. */
function requireAlive(row: Pick<PackageRow, 'state' | 'expiry' | 'held_at'>, now: Date): void {
  const over = transition(row.state, 'delete').outcome === 'stays';
  const due = row.state === 'finalized' && row.held_at === null && row.expiry !== null && row.expiry <= now;
  if (over || due) throw new ApiError('package_expired');
}

/** Changes a package that has not expired, and returns its record with the token from the request. */
async function change(
  context: Managing,
  packageId: string,
  valuesOf: (db: Context['db'], row: PackageRow) => Promise<Updateable<Database['packages']>>,
): Promise<Package> {
  const { credential, now } = context;
  await managePackage(context, packageId);
  const row = await inTransaction(context.db, async (db) => {
    // The lock keeps the expiry job from ending the package before the change is made.
    const before = await selectPackages(db).where('packages.id', '=', packageId).forUpdate('packages').executeTakeFirstOrThrow();
    requireAlive(before, now());
    await db
      .updateTable('packages')
      .set({ ...(await valuesOf(db, before)), updated_at: now() })
      .where('id', '=', packageId)
      .execute();
    return await selectPackages(db).where('packages.id', '=', packageId).executeTakeFirstOrThrow();
  });
  return toPackage(row, { accessToken: credential.token, recipients: row.recipients });
}

export const changeHandlers: HandlersOf<'updatePackage' | 'setPackageExpiry'> = {
  async updatePackage({ params, body }, context) {
    const { name, tag, notify } = body;
    const changed = { name, ...(notify && { notify }) };
    if (tag && !isId(tag.id)) throw new ApiError('not_found', { resource: 'tag' });
    return await change(context, params.package_id, async (db, row) => {
      if (!tag) return changed;
      // The lock prevents the tag from being deleted before the package has it.
      const found = await db
        .selectFrom('tags')
        .select('id')
        .where('id', '=', tag.id)
        .where('team_id', '=', row.team_id)
        .forKeyShare()
        .executeTakeFirst();
      if (!found) throw new ApiError('not_found', { resource: 'tag' });
      return { ...changed, tag_id: found.id };
    });
  },

  async setPackageExpiry({ params, body }, context) {
    const expiry = parseDateTime(body.expiry, 'expiry');
    if (body.unlimited_storage) {
      if (expiry) throw new ApiError('invalid_request', { detail: 'expiry: leave it out where unlimited_storage is true.' });
      return await change(context, params.package_id, async (db, row) => {
        requireExpiry(await readPolicies(db, row.team_id), row, null, context.now());
        return { expiry: null, unlimited_storage: true, custom_expiry: false };
      });
    }
    if (!expiry) {
      throw new ApiError('invalid_request', {
        detail: 'expiry: give the moment at which the package expires, or unlimited_storage: true.',
      });
    }
    if (expiry <= context.now()) {
      throw new ApiError('invalid_request', { detail: 'expiry: this moment has passed already. To end a package now, delete it.' });
    }
    return await change(context, params.package_id, async (db, row) => {
      requireExpiry(await readPolicies(db, row.team_id), row, expiry, context.now());
      // Who chooses an end within a day knows of it.
      const isSoon = expiry.getTime() <= context.now().getTime() + toldBeforeMilliseconds;
      return { expiry, unlimited_storage: false, custom_expiry: true, expiry_told: isSoon };
    });
  },
};
