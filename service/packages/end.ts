import { type Kysely, sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import type { Services } from '../handler.ts';
import { endTransfers } from '../transfers/package-end.ts';
import { type PackageEvent, transition } from './state-machine.ts';

/** The events that end a package; its storage is freed afterwards. */
type EndingEvent = Extract<PackageEvent, 'expire' | 'delete' | 'abandon'>;

const ending: ReadonlySet<PackageEvent> = new Set<EndingEvent>(['expire', 'delete', 'abandon']);

/**
 * Applies an event to one package, under a lock of its row, so that concurrent events are serialised. An event that
 * ends the package also requests, in the same transaction, that its storage be freed. `db` must be a transaction.
 * Errors: `not_found`, and those of the table (state-machine.ts).
 */
export async function applyEvent(
  db: Kysely<Database>,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  packageId: string,
  event: Exclude<PackageEvent, 'finalize'>,
): Promise<void> {
  const row = await db.selectFrom('packages').select(['state', 'held_at']).where('id', '=', packageId).forUpdate().executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'package' });
  const move = transition(row.state, event);
  if (move.outcome === 'refused') throw new ApiError(move.error, { detail: move.detail });
  if (move.outcome === 'stays') return;
  if (row.held_at !== null && ending.has(event)) throw new ApiError('state_conflict', { detail: onHold });
  const at = now();
  await db
    .updateTable('packages')
    .set({ state: move.to, updated_at: at, ...(ending.has(event) && endedColumns(at)), ...(event === 'delete' && { deleted_at: at }) })
    .where('id', '=', packageId)
    .execute();
  if (!ending.has(event)) return;
  await endTransfers(db, { jobs, now }, [packageId]);
  await jobs.add(db, 'packages.free', { package_id: packageId });
}

const onHold = 'This package is on hold, so nothing of it is deleted. An owner or admin of its Team can lift the hold; then try again.';

/** The columns that change with a package's end, in addition to its state. One that ends early gets an expiry of now. */
export const endedColumns = (at: Date) => ({
  usage_total_bytes: 0,
  expiry: sql<Date>`least(expiry, ${at}::timestamptz)`,
  free_asked_at: at,
});
