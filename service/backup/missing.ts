import type pg from 'pg';
import { imageKey } from '../images/key.ts';
import type { Fault } from './row-facts.ts';

/** What of the storage a backup could not get: since it was deleted while the backup ran, or since the storage lost it. */

/** A package as it was when its objects were gone. Times as PostgreSQL writes them. */
interface EndedPackage {
  readonly state: string;
  readonly expiry: string | null;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

export interface Missing {
  readonly why: 'ended' | 'lost';
  readonly key: string;
  /** Empty for an image. */
  readonly file_id: string;
  readonly package_id: string;
  /** Where the package itself has ended meanwhile. */
  readonly ended?: EndedPackage;
  /** For people, of what is lost: the package and the file. */
  readonly name?: string;
  readonly damaged?: true;
}

const rowsPerQuery = 500;
export const imagePrefix = imageKey('');

interface Row extends EndedPackage {
  readonly file_id: string;
  readonly here: boolean;
  readonly free_asked: boolean;
  readonly known: boolean;
  readonly name: string;
}

/** Asks the live rows why objects could not be copied. */
export async function explain(client: pg.Client, faults: readonly Fault[]): Promise<Missing[]> {
  const found: Missing[] = [];
  const ofFiles = faults.filter(({ object }) => object.fileId !== '');
  for (let from = 0; from < ofFiles.length; from += rowsPerQuery) {
    const some = ofFiles.slice(from, from + rowsPerQuery);
    const { rows } = await client.query<Row>(
      `select asked.file_id, files.id is not null as here, packages.id is not null as known, packages.free_asked_at is not null as free_asked,
         packages.state, packages.expiry::text, packages.updated_at::text, packages.deleted_at::text,
         format('package "%s" (%s), file %s', packages.name, packages.id, concat_ws('/', nullif(files.path, ''), files.name)) as name
       from unnest($1::uuid[], $2::uuid[]) as asked (file_id, package_id)
       left join files on files.id = asked.file_id left join packages on packages.id = asked.package_id`,
      [some.map(({ object }) => object.fileId), some.map(({ object }) => object.packageId)],
    );
    const rowOf = new Map(rows.map((row) => [row.file_id, row]));
    for (const fault of some) found.push(judge(fault, rowOf.get(fault.object.fileId)));
  }
  const images = faults.filter(({ object }) => object.fileId === '');
  const ids = images.map(({ object }) => object.key.slice(imagePrefix.length));
  const { rows } = await client.query<{ id: string }>('select id from images where id = any($1::uuid[])', [ids]);
  const left = new Set(rows.map(({ id }) => imageKey(id)));
  for (const { object, why } of images) {
    const isLost = left.has(object.key);
    found.push({
      ...{ why: isLost ? 'lost' : 'ended', key: object.key, file_id: '', package_id: '' },
      ...(isLost && { name: `image ${object.key.slice(imagePrefix.length)}`, ...(why === 'damaged' && { damaged: true }) }),
    });
  }
  return found;
}

function judge({ object, why }: Fault, row: Row | undefined): Missing {
  const about = { key: object.key, file_id: object.fileId, package_id: object.packageId };
  if (row?.here && !row.free_asked) return { why: 'lost', ...about, name: row.name, ...(why === 'damaged' && { damaged: true }) };
  // A file that was deleted from a package that goes on, or the package has ended.
  const hasEnded = row?.known && row.state !== 'new' && row.state !== 'finalized';
  return {
    ...{ why: 'ended', ...about },
    ...(hasEnded && { ended: { state: row.state, expiry: row.expiry, updated_at: row.updated_at, deleted_at: row.deleted_at } }),
  };
}

/** In words, with the first few names. */
export function lostText(missing: readonly Missing[]): string {
  const lost = missing.filter(({ why }) => why === 'lost');
  const shown = lost.slice(0, 5).map(({ name, damaged }) => `${name} is ${damaged ? 'damaged' : 'not there'}`);
  return `${shown.join('; ')}${lost.length > shown.length ? `; and ${lost.length - shown.length} more` : ''}`;
}
