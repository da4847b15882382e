import pg from 'pg';
import { parsePackedKey } from '#storage/packed-key.ts';
import { copyOut } from '../database/copy.ts';
import { lineGroups } from './streams.ts';

/**
 * What of the storage the rows of a database need. As text: a line for each object, `key, size, etag, file, package` between
 * tabs; first objects of their own, then images, then packed ones in the order of their segments: that is the order of their
 * names in a bucket too. For a check its facts follow.
 */

export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** As the file's row has it; empty for an image, whose row has none. */
  readonly etag: string;
  /** Ids; empty for an image. */
  readonly fileId: string;
  readonly packageId: string;
  /** What else the file's row says of its bytes; only in a list that is written with facts. */
  readonly facts?: ObjectFacts;
}

export interface ObjectFacts {
  /** Bytes. */
  readonly chunkSize: number;
  /** `blake3:<hex>`; empty where nobody has stated one. */
  readonly digest: string;
  /** In hex; empty where there is none. */
  readonly fingerprint: string;
}

/** What is stored by itself: an object, or a segment with those that are in use of it. */
export type ListedItem =
  | { readonly kind: 'object'; readonly object: ListedObject }
  | { readonly kind: 'segment'; readonly segment: string; readonly objects: readonly ListedObject[] };

/** Files whose bytes have to be there: whole ones of packages that are not being freed. */
const needed = `from files join packages on packages.id = files.package_id
  where files.kind = 'file' and files.state = 'finalized' and packages.free_asked_at is null`;
const columns = `files.size, files.etag, files.id, files.package_id`;
const factColumns = `files.chunk_size, coalesce(files.digest, ''), coalesce(encode(files.fingerprint, 'hex'), '')`;

/** `lastFile`: an id. */
const neededUpTo = (lastFile: string | undefined): string =>
  lastFile === undefined ? needed : `${needed} and files.id <= ${pg.escapeLiteral(lastFile)}::uuid`;

const queriesFor = (fileColumns: string, files: string): readonly string[] => [
  `select files.id::text, ${fileColumns} ${files} and files.object_key is null order by files.id`,
  `select 'images/' || id, size, '', '', '' from images order by id`,
  `select files.object_key, ${fileColumns} ${files} and files.object_key is not null order by files.object_key collate "C"`,
];

interface ListOptions {
  readonly withFacts?: boolean;
  /** Files that came after this one are left out. */
  readonly lastFile?: string;
}

/** The list as text, as the connection's transaction sees the rows. */
export async function* objectList(client: pg.Client, { withFacts = false, lastFile }: ListOptions = {}): AsyncGenerator<Buffer> {
  const queries = queriesFor(withFacts ? `${columns}, ${factColumns}` : columns, neededUpTo(lastFile));
  for (const query of queries) yield* copyOut(client, `copy (${query}) to stdout`);
}

export async function objectTotals(client: pg.Client): Promise<{ readonly objects: number; readonly bytes: number }> {
  const { rows } = await client.query<{ objects: string; bytes: string }>(
    `select count(*) as objects, coalesce(sum(size), 0) as bytes
     from (select files.size ${needed} union all select size from images) as all_of_them`,
  );
  return { objects: Number(rows[0]!.objects), bytes: Number(rows[0]!.bytes) };
}

function parse(line: string): ListedObject {
  const [key, size, etag, fileId, packageId, chunkSize, digest, fingerprint] = line.split('\t');
  const object = { key: key!, size: Number(size), etag: etag === '\\N' ? '' : etag!, fileId: fileId!, packageId: packageId! };
  return chunkSize === undefined
    ? object
    : { ...object, facts: { chunkSize: Number(chunkSize), digest: digest!, fingerprint: fingerprint! } };
}

/** A list's items: segments together with their objects, which follow each other. */
export async function* listedItems(text: AsyncIterable<Uint8Array>): AsyncGenerator<ListedItem> {
  let segment = '';
  let objects: ListedObject[] = [];
  for await (const lines of lineGroups(text)) {
    for (const line of lines) {
      const object = parse(line);
      const packed = parsePackedKey(object.key);
      if (packed?.segment === segment) {
        objects.push(object);
        continue;
      }
      if (segment !== '') yield { kind: 'segment', segment, objects };
      segment = packed?.segment ?? '';
      objects = packed ? [object] : [];
      if (!packed) yield { kind: 'object', object };
    }
  }
  if (segment !== '') yield { kind: 'segment', segment, objects };
}

export const objectsOf = (item: ListedItem): readonly ListedObject[] => (item.kind === 'object' ? [item.object] : item.objects);
