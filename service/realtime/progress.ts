import { type Kysely, sql } from 'kysely';
import type { PackageEvent } from '#protocol/hosted/package-events.ts';
import type { Database } from '../database/schema/database.ts';
import { toTransfer } from '../transfers/record.ts';
import type { ChangeList } from './event.ts';

/** The state of a package and of its files. */
export interface Progress extends Pick<PackageEvent, 'state' | 'files' | 'bytes' | 'transfers'> {
  /** Null: never. */
  readonly expiry: Date | null;
}

/** Reads a package's progress; null if it does not exist. The files of a finalized package need not be counted. */
export async function readProgress(db: Kysely<Database>, packageId: string): Promise<Progress | null> {
  const row = await db
    .selectFrom('packages')
    .select(['state', 'expiry', 'size', 'total_files'])
    .where('id', '=', packageId)
    .executeTakeFirst();
  if (!row) return null;
  const transfers = await readTransfers(db, packageId);
  if (row.state !== 'new') {
    const [files, bytes] = [row.total_files, Number(row.size)];
    return {
      ...transfers,
      state: row.state,
      expiry: row.expiry,
      files: { total: files, finalized: files },
      bytes: { total: bytes, finalized: bytes },
    };
  }
  const sums = await db
    .selectFrom('files')
    .select([
      sql<string>`count(*)`.as('total'),
      sql<string>`count(*) filter (where state = 'finalized')`.as('finalized'),
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
      sql<string>`coalesce(sum(size) filter (where state = 'finalized'), 0)`.as('bytes_finalized'),
    ])
    .where('package_id', '=', packageId)
    .where('kind', '=', 'file')
    .executeTakeFirstOrThrow();
  return {
    ...transfers,
    state: row.state,
    expiry: row.expiry,
    files: { total: Number(sums.total), finalized: Number(sums.finalized) },
    bytes: { total: Number(sums.bytes), finalized: Number(sums.bytes_finalized) },
  };
}

async function readTransfers(db: Kysely<Database>, packageId: string): Promise<Pick<Progress, 'transfers'>> {
  const rows = await db.selectFrom('cloud_transfers').selectAll().where('package_id', '=', packageId).orderBy('id').execute();
  if (rows.length === 0) return {};
  return {
    transfers: rows.map((row) => toTransfer(row, '')).map(({ id, direction, state, progress }) => ({ id, direction, state, progress })),
  };
}

/**
 * The current state of the changed files. It is read anew, since messages of several processes may arrive out of order:
 * a file's creation may be reported after its deletion.
 */
export async function nameChanges(db: Kysely<Database>, packageId: string, { named }: ChangeList): Promise<PackageEvent['changes']> {
  const ids = [...named].flatMap(([id, change]) => (change === 'deleted' ? [] : [id]));
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('files')
          .select(['id', 'path', 'name', 'size', 'state'])
          .where('package_id', '=', packageId)
          .where(sql<boolean>`id = any(${ids}::uuid[])`)
          .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  return [...named.keys()].map((id) => {
    const row = known.get(id);
    if (!row) return { change: 'deleted', id };
    return {
      change: row.state === 'finalized' ? 'finalized' : 'created',
      id,
      path: row.path,
      name: row.name,
      ...(row.size !== null && { size: Number(row.size) }),
    };
  });
}
