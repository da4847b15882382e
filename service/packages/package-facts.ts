import { ApiError } from '#protocol/errors.ts';
import type { PackageState } from '#protocol/hosted/packages.ts';
import type { PackageFacts } from '../caches.ts';
import type { Context } from '../handler.ts';
import { transition } from './state-machine.ts';

/**
 * The facts of a package that an upload needs and that never change; from the cache if possible. `not_found` if there
 * is none.
 */
export async function packageFacts({ db, caches }: Pick<Context, 'db' | 'caches'>, packageId: string): Promise<PackageFacts> {
  const known = caches.packages.get(packageId);
  if (known) return known;
  const row = await db.selectFrom('packages').select(['chunk_size', 'portal_id']).where('id', '=', packageId).executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  const facts = { chunkSize: Number(row.chunk_size), portalId: row.portal_id };
  caches.packages.set(packageId, facts);
  return facts;
}

/** Throws why a package's files can't be changed (`state_conflict`, `package_expired`); returns if they can. */
export async function requireOpenForFiles({ db }: Pick<Context, 'db'>, packageId: string): Promise<void> {
  const row = await db.selectFrom('packages').select('state').where('id', '=', packageId).executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  requireOpenState(row.state);
}

/** The same of a state that is known. */
export function requireOpenState(state: PackageState): void {
  const move = transition(state, 'finalize');
  if (move.outcome === 'refused') throw new ApiError(move.error, { detail: move.detail });
  if (move.outcome === 'stays')
    throw new ApiError('state_conflict', { detail: 'This package is finalized, so its files can no longer change.' });
}
