import type pg from 'pg';
import { parsePackedKey } from '#storage/packed-key.ts';
import { imagePrefix } from '../backup/missing.ts';
import type { ListedItem, ListedObject } from '../backup/object-list.ts';
import type { Fault } from '../backup/row-facts.ts';
import { imageKey } from '../images/key.ts';
import type { Look } from './checked-storage.ts';
import type { Finding } from './finding.ts';
import type { Inside } from './inside.ts';

/** Rows can move on while the storage is looked at: so often a file's object is looked for where its row says by then. */
const mostLooks = 3;

interface Row {
  readonly file_id: string;
  readonly key: string;
  readonly size: string;
  readonly etag: string;
  readonly package_id: string;
  readonly package_name: string;
  readonly team_id: string;
  readonly file_name: string;
}

/** What the rows say now of those files whose bytes have to be there. */
async function rowsOf(client: pg.Client, ids: readonly string[]): Promise<Map<string, Row>> {
  const { rows } = await client.query<Row>(
    `select files.id as file_id, coalesce(files.object_key, files.id::text) as key, files.size, coalesce(files.etag, '') as etag,
       packages.id as package_id, packages.name as package_name, packages.team_id, concat_ws('/', nullif(files.path, ''), files.name) as file_name
     from files join packages on packages.id = files.package_id
     where files.id = any($1::uuid[]) and files.kind = 'file' and files.state = 'finalized' and packages.free_asked_at is null`,
    [ids],
  );
  return new Map(rows.map((row) => [row.file_id, row]));
}

const itemOf = (object: ListedObject): ListedItem => {
  const packed = parsePackedKey(object.key);
  return packed ? { kind: 'segment', segment: packed.segment, objects: [object] } : { kind: 'object', object };
};

/**
 * Compares an item of the list with the storage. A fault is a finding only where the row, read after the look, still says
 * what the list did: files are deleted and moved between segments meanwhile.
 */
export async function checkItem(
  client: pg.Client,
  item: ListedItem,
  at: Pick<Look, 'verify' | 'verifyAgain' | 'pathOf'>,
  inside?: Inside,
): Promise<Finding[]> {
  const found: Finding[] = [];
  let faults = await at.verify(item, inside);
  for (let look = 1; faults.length > 0; look += 1) {
    const rows = await rowsOf(
      client,
      faults.flatMap(({ object }) => (object.fileId === '' ? [] : [object.fileId])),
    );
    const moved: ListedObject[] = [];
    for (const fault of faults) {
      const row = rows.get(fault.object.fileId);
      if (fault.object.fileId === '') found.push(...(await imageFinding(client, fault, at)));
      else if (row && (isSame(row, fault.object) || look === mostLooks)) found.push(findingOf(fault, row, at));
      else if (row) moved.push({ ...fault.object, key: row.key, size: Number(row.size), etag: row.etag });
    }
    faults = (await Promise.all(moved.map((object) => at.verifyAgain(itemOf(object))))).flat();
  }
  return found;
}

const isSame = (row: Row, { key, size, etag }: ListedObject): boolean => row.key === key && Number(row.size) === size && row.etag === etag;

function findingOf(
  { object, why, detail }: Fault,
  { file_id, package_id, package_name, team_id, file_name }: Row,
  { pathOf }: Pick<Look, 'pathOf'>,
): Finding {
  return {
    ...{ kind: why === 'absent' ? 'missing' : why, key: object.key, path: pathOf(object.key), size: object.size },
    ...{ team_id, package_id, package_name, file_id, file_name, ...(detail !== undefined && { detail }) },
  };
}

async function imageFinding(client: pg.Client, { object, why }: Fault, { pathOf }: Pick<Look, 'pathOf'>): Promise<Finding[]> {
  const id = object.key.slice(imagePrefix.length);
  const { rows } = await client.query('select 1 from images where id = $1', [id]);
  if (rows.length === 0) return [];
  const kind = why === 'absent' ? 'missing' : 'damaged';
  return [{ kind, key: imageKey(id), path: pathOf(object.key), size: object.size, file_name: `image ${id}` }];
}
