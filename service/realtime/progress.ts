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

/** Reads a package's progress; null if it does not exist. */
export const readProgress = async (db: Kysely<Database>, packageId: string): Promise<Progress | null> =>
  (await readAllProgress(db, [packageId])).get(packageId) ?? null;

/** The progress of packages, without those that do not exist. The files of a finalized one need not be counted. */
export async function readAllProgress(db: Kysely<Database>, packageIds: readonly string[]): Promise<Map<string, Progress>> {
  const { rows } = await sql<ProgressRow>`
    select packages.id, packages.state, packages.expiry,
      coalesce(sums.total, packages.total_files) as total, coalesce(sums.finalized, packages.total_files) as finalized,
      coalesce(sums.bytes, packages.size) as bytes, coalesce(sums.bytes_finalized, packages.size) as bytes_finalized
    from packages left join lateral (
      select count(*) as total, count(*) filter (where files.state = 'finalized') as finalized, coalesce(sum(files.size), 0) as bytes,
        coalesce(sum(files.size) filter (where files.state = 'finalized'), 0) as bytes_finalized
      from files where files.package_id = packages.id and files.kind = 'file') as sums on packages.state = 'new'
    where packages.id = any(${packageIds}::uuid[])`.execute(db);
  const transfers = await readTransfers(db, packageIds);
  return new Map(
    rows.map(({ id, state, expiry, total, finalized, bytes, bytes_finalized }) => [
      id,
      {
        ...(transfers.has(id) && { transfers: transfers.get(id)! }),
        ...{ state, expiry },
        files: { total: Number(total), finalized: Number(finalized) },
        bytes: { total: Number(bytes), finalized: Number(bytes_finalized) },
      },
    ]),
  );
}

interface ProgressRow extends Pick<Progress, 'state' | 'expiry'> {
  readonly id: string;
  /** PostgreSQL's large numbers are text. */
  readonly total: string;
  readonly finalized: string;
  readonly bytes: string;
  readonly bytes_finalized: string;
}

type Transfers = NonNullable<PackageEvent['transfers']>;

async function readTransfers(db: Kysely<Database>, packageIds: readonly string[]): Promise<Map<string, Transfers>> {
  const rows = await db
    .selectFrom('cloud_transfers')
    .selectAll()
    .where(sql<boolean>`package_id = any(${packageIds}::uuid[])`)
    .orderBy('id')
    .execute();
  const found = Map.groupBy(rows, (row) => row.package_id);
  return new Map([...found].map(([id, of]) => [id, of.map(progressOf)]));
}

const progressOf = (row: Parameters<typeof toTransfer>[0]): Transfers[number] => {
  const { id, direction, state, progress } = toTransfer(row, '');
  return { id, direction, state, progress };
};

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
