import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/schema/database.ts';
import { objectKeyOf } from '../files/object-key.ts';
import { Checksums } from './checksums.ts';
import type { ZipEntry } from './entry.ts';
import { layOut } from './layout.ts';
import { entryNames, type ZipFlavour } from './names.ts';
import { decodeRanges, positionsIn } from './selection.ts';
import type { Zip } from './stream.ts';

export interface PlannedZip extends Zip {
  /** A strong validator (RFC 9110, 8.8.3): the same etag means the same bytes. */
  readonly etag: string;
}

/** A cache of the layouts of zips, since a resumed download requests the same one again. */
export interface ZipPlans {
  /** The package must be finalized, so that its files no longer change. `chosen`: of which files alone (selection.ts). */
  get(packageId: string, flavour: ZipFlavour, chosen?: string): Promise<PlannedZip>;
  /** Stores the checksums that became known. */
  note(zip: PlannedZip): Promise<void>;
}

/** Maximum cached entries of all zips combined (about 300 bytes each). */
const maxCachedEntries = 300_000;
/** Files may get other keys at the storage; the old ones stand for days (files/compaction.ts). */
const cachedMilliseconds = 3_600_000;
/** Increased when a zip's bytes would change: then a partial download is not resumed. */
const version = 1;
/** Checksums stored per statement. */
const checksumsPerStatement = 10_000;

interface PlanWanted {
  readonly packageId: string;
  readonly flavour: ZipFlavour;
  readonly chosen: string | undefined;
}

export function createZipPlans(db: Kysely<Database>): ZipPlans {
  const plans = new LRUCache<string, PlannedZip, PlanWanted>({
    maxSize: maxCachedEntries,
    ttl: cachedMilliseconds,
    sizeCalculation: ({ layout }) => Math.min(Math.max(1, layout.entries.length), maxCachedEntries),
    fetchMethod: async (_key, _stale, { context: { packageId, flavour, chosen } }) =>
      chosen === undefined ? plan(db, packageId, flavour) : planOfChoice(packageId, await get(packageId, flavour), chosen),
  });
  async function get(packageId: string, flavour: ZipFlavour, chosen?: string): Promise<PlannedZip> {
    return (await plans.fetch(`${packageId} ${flavour} ${chosen ?? ''}`, { context: { packageId, flavour, chosen } }))!;
  }
  return {
    get,
    async note({ checksums }) {
      const fresh = checksums.takeNew();
      for (let from = 0; from < fresh.length; from += checksumsPerStatement) {
        const some = fresh.slice(from, from + checksumsPerStatement);
        await sql`
          update files set crc32 = known.crc
          from unnest(${some.map((one) => one.id)}::uuid[], ${some.map((one) => one.crc)}::bigint[]) as known (id, crc)
          where files.id = known.id and files.crc32 is null`.execute(db);
      }
    },
  };
}

async function plan(db: Kysely<Database>, packageId: string, flavour: ZipFlavour): Promise<PlannedZip> {
  const rows = await db
    .selectFrom('files')
    .select(['id', 'object_key', 'kind', 'path', 'name', 'size', 'last_modified', 'crc32'])
    .where('package_id', '=', packageId)
    .where('state', '=', 'finalized')
    .orderBy('path', (order) => order.collate('C'))
    .orderBy('name', (order) => order.collate('C'))
    .execute();
  const names = entryNames(flavour, rows);
  const entries = rows.map((row, index) => ({
    id: row.id,
    key: objectKeyOf(row),
    name: Buffer.from(names[index]!),
    size: Number(row.size ?? 0),
    directory: row.kind === 'directory',
    modified: row.last_modified,
  }));
  const known = new Map(rows.flatMap(({ id, crc32 }) => (crc32 === null ? [] : [[id, Number(crc32)] as const])));
  return {
    flavour,
    layout: layOut(entries),
    checksums: new Checksums(entries, known),
    etag: etagOf(packageId, flavour, entries),
  };
}

/** The zip of some of a package's files. Their names are those that they have in the zip of all. */
function planOfChoice(packageId: string, { flavour, layout, checksums }: PlannedZip, chosen: string): PlannedZip {
  const indexes = positionsIn(decodeRanges(chosen), layout.entries.length);
  const entries = indexes.map((index) => layout.entries[index]!);
  const known = new Map(
    indexes.flatMap((index) => {
      const crc = checksums.of(index);
      return crc === null ? [] : [[layout.entries[index]!.id, crc] as const];
    }),
  );
  return { flavour, layout: layOut(entries), checksums: new Checksums(entries, known), etag: etagOf(packageId, flavour, entries) };
}

/** A hash of everything that determines a zip's bytes; the files' content is represented by their ids. */
function etagOf(packageId: string, flavour: ZipFlavour, entries: readonly ZipEntry[]): string {
  const hash = createHash('sha256').update(`${version} ${flavour} ${packageId}`);
  for (const { id, name, size, modified } of entries) {
    hash.update(`\n${id} ${name.length} ${size} ${modified?.getTime() ?? ''} `).update(name);
  }
  return `"${hash.digest('base64url')}"`;
}
