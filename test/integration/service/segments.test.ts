import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { pathHash } from '#service/files/plan.ts';
import { finalizeFiles, insertFiles } from '#service/files/writes.ts';
import type { Services } from '#service/handler.ts';
import { newId } from '#service/ids.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** How much of each segment is in use, after whatever has happened to the files in it. */

const day = limits.blueprintSeconds * 1000;
let t: TestService;
let services: Services;
beforeAll(async () => {
  t = await startTestService();
  ({ services } = t.service);
});
afterAll(() => t?.close());

const newSegment = (): string => randomBytes(16).toString('hex');

interface Recorded {
  readonly id: string;
  readonly packageId: string;
  readonly segment: string;
  readonly length: number;
}

/** Creates files, and records them as finalized in a segment, one after the other. */
async function record(packageId: string, segment: string, lengths: readonly number[], at = new Date()): Promise<Recorded[]> {
  const made = lengths.map((length) => ({ id: newId(), packageId, segment, length }));
  await insertFiles(services.db, made.map(newRow));
  expect(await finalizeFiles(services.db, made.map(endOf), at)).toEqual(made.map(() => true));
  return made;
}

const newRow = ({ id, packageId, length }: Recorded) => ({
  ...{ id, package_id: packageId, place: pathHash('', id), path: '', name: id, size: length, chunk_size: 5_000_000 },
  ...({ kind: 'file', state: 'new', last_modified: null, created_at: new Date() } as const),
});
const endOf = ({ id, packageId, segment, length }: Recorded, offset: number) => ({
  ...{ id, package_id: packageId, size: length, chunk_size: 5_000_000, etag: 'e', digest: null, fingerprint: '00'.repeat(32) },
  object_key: `${segment}.${offset}.${length}`,
});

const segmentsIn = async (ids: readonly string[]) =>
  (await services.db.selectFrom('segments').selectAll().where(sql<boolean>`id = any(${ids}::text[])`).orderBy('id').execute()).map(
    (row) => ({
      ...{
        id: row.id,
        bytes: Number(row.live_bytes),
        files: row.live_files,
        isFreed: row.freed_at !== null,
        isDeleted: row.deleted_at !== null,
      },
    }),
  );

/** What the rows of files say. */
async function usedIn(ids: readonly string[]): Promise<Map<string, { bytes: number; files: number }>> {
  const { rows } = await sql<{ id: string; bytes: string; files: string }>`
    select split_part(object_key, '.', 1) as id, sum(size) as bytes, count(*) as files
    from files where split_part(object_key, '.', 1) = any(${ids}::text[]) group by 1`.execute(services.db);
  return new Map(rows.map(({ id, bytes, files }) => [id, { bytes: Number(bytes), files: Number(files) }]));
}

/** The service's storage as one that packs: it remembers which segments it has, and that nothing uses what is deleted. */
function packing(there: Set<string>, fails: () => boolean = () => false): ObjectStorage {
  return {
    ...services.storage,
    async deleteSegment(segment) {
      expect((await usedIn([segment])).size).toBe(0);
      if (fails()) throw new Error('the disk is gone');
      there.delete(segment);
    },
    // All of them are of now.
    listSegments: async (olderThan, after) => {
      if (olderThan < new Date()) return [];
      return [...there]
        .filter((id) => id > after)
        .toSorted()
        .slice(0, 3);
    },
    endUploads: async () => undefined,
    // Three to a new segment.
    async pack(keys) {
      const segments = keys.flatMap((_, index) => (index % 3 === 0 ? [newSegment()] : []));
      for (const segment of segments) there.add(segment);
      return keys.map((key, index) => {
        const { segment, length } = parsePackedKey(key)!;
        expect(there).toContain(segment);
        return `${segments[Math.floor(index / 3)]}.${index}.${length}`;
      });
    },
  };
}

async function end(packageId: string, storage: ObjectStorage): Promise<void> {
  await services.db
    .updateTable('packages')
    .set({ state: 'expired', free_asked_at: new Date(0) })
    .where('id', '=', packageId)
    .execute();
  await runJob(services, 'packages.free', { package_id: packageId }, { instead: { storage } });
}

const sweep = (storage: ObjectStorage, afterMilliseconds: number) =>
  runJob(services, 'objects.sweep', {}, { instead: { storage, now: () => new Date(Date.now() + afterMilliseconds) } });

const removeFile = async ({ token }: Sender, { id, packageId }: Recorded): Promise<void> => {
  expect((await t.call('DELETE', `/v1/packages/${packageId}/files/${id}`, { headers: token })).status).toBe(204);
};

const step = fc.oneof(
  fc.record({
    what: fc.constant('record' as const),
    to: fc.nat(2),
    segment: fc.nat(3),
    lengths: fc.array(fc.nat(5_000), { minLength: 1, maxLength: 20 }),
  }),
  fc.record({ what: fc.constant('again' as const), rank: fc.nat(40) }),
  fc.record({ what: fc.constant('remove' as const), ranks: fc.uniqueArray(fc.nat(20), { minLength: 1, maxLength: 12 }) }),
  fc.record({ what: fc.constant('end' as const), to: fc.nat(2) }),
  fc.record({ what: fc.constant('sweep' as const), later: fc.boolean() }),
);

it('is the sum of its files, whatever happens to them; it is deleted once none is left, and never earlier', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), fc.boolean(), async (steps, failing) => {
      const senders = await Promise.all([0, 1, 2].map(() => newSender(t)));
      const ids = [0, 1, 2, 3].map(newSegment);
      const there = new Set(ids);
      // With those that have been there.
      const known = new Set(ids);
      let isFailing = failing;
      const storage = packing(there, () => isFailing);
      const ended = new Set<string>();
      let files: Recorded[] = [];
      for (const one of steps) {
        if (one.what === 'record') {
          const packageId = senders[one.to]!.package.id;
          const segment = ids[one.segment]!;
          const [row] = await segmentsIn([segment]);
          if (ended.has(packageId)) continue;
          if (row?.isFreed)
            await expect(record(packageId, segment, one.lengths)).rejects.toMatchObject({ constraint: 'segments_freed_unused' });
          else if (there.has(segment)) files.push(...(await record(packageId, segment, one.lengths)));
        } else if (one.what === 'again') {
          const file = files[one.rank];
          if (file) expect(await finalizeFiles(services.db, [endOf(file, 0)], new Date())).toEqual([false]);
        } else if (one.what === 'remove') {
          const gone = one.ranks.flatMap((rank) => files[rank] ?? []);
          for (const file of gone) await removeFile(senders.find(({ package: { id } }) => id === file.packageId)!, file);
          files = files.filter((file) => !gone.includes(file));
        } else if (one.what === 'end') {
          const packageId = senders[one.to]!.package.id;
          ended.add(packageId);
          await end(packageId, storage);
          files = files.filter((file) => file.packageId !== packageId);
        } else {
          await sweep(storage, one.later ? day + 60_000 : 0);
        }
        for (const id of there) known.add(id);
        const used = await usedIn([...known]);
        for (const { id, bytes, files: count, isFreed, isDeleted } of await segmentsIn([...known])) {
          expect({ bytes, files: count }).toEqual(used.get(id) ?? { bytes: 0, files: 0 });
          if (count > 0) expect(there).toContain(id);
          if (isDeleted) expect({ isFreed, isThere: there.has(id) }).toEqual({ isFreed: true, isThere: false });
        }
      }
      isFailing = false;
      for (const sender of senders) await end(sender.package.id, storage);
      await sweep(storage, 10 * day);
      expect([...there]).toEqual([]);
      // And then nothing is known of it any more.
      await sweep(storage, 12 * day);
      expect(await segmentsIn([...known])).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

describe('a segment', () => {
  it('is freed with the package whose files it holds, at once', async () => {
    const [segment, there] = [newSegment(), new Set<string>()];
    there.add(segment);
    const { package: made } = await newSender(t);
    // More than one page of the job, and empty files too.
    await record(
      made.id,
      segment,
      Array.from({ length: 450 }, (_, index) => index % 7),
    );
    await end(made.id, packing(there));
    expect([...there]).toEqual([]);
    expect(await segmentsIn([segment])).toMatchObject([{ bytes: 0, files: 0, isFreed: true, isDeleted: true }]);
  });

  it('of empty files alone is in use as well', async () => {
    const [segment, there] = [newSegment(), new Set<string>()];
    there.add(segment);
    const sender = await newSender(t);
    const [file] = await record(sender.package.id, segment, [0]);
    await sweep(packing(there), 2 * day);
    expect([...there]).toEqual([segment]);
    await removeFile(sender, file!);
    await sweep(packing(there), 2 * day);
    expect([...there]).toEqual([]);
  });

  it('stands while senders may still finalize what they have sent into it, also where its only file was removed', async () => {
    const [segment, there] = [newSegment(), new Set<string>()];
    there.add(segment);
    const sender = await newSender(t);
    const [file] = await record(sender.package.id, segment, [10]);
    await removeFile(sender, file!);
    await sweep(packing(there), day - 60_000);
    expect([...there]).toEqual([segment]);
    await record(sender.package.id, segment, [20]);
    await sweep(packing(there), 2 * day);
    expect([...there]).toEqual([segment]);
    expect(await segmentsIn([segment])).toMatchObject([{ bytes: 20, files: 1, isFreed: false }]);
  });

  it('that no row names is deleted, and takes no file any more', async () => {
    const [segment, there] = [newSegment(), new Set<string>()];
    there.add(segment);
    await sweep(packing(there), 0);
    expect([...there]).toEqual([segment]);
    await sweep(packing(there), day + 60_000);
    expect([...there]).toEqual([]);
    const sender = await newSender(t);
    await expect(record(sender.package.id, segment, [1])).rejects.toMatchObject({ constraint: 'segments_freed_unused' });
    expect((await usedIn([segment])).size).toBe(0);
  });

  it('more than half of which is free is rewritten, and stands as long as anybody may hold an address in it', async () => {
    const [segment, there] = [newSegment(), new Set<string>()];
    there.add(segment);
    const sender = await newSender(t);
    const [first, second, ...others] = await record(sender.package.id, segment, [100, 100, 0, 40, 50]);
    await sweep(packing(there), 2 * day);
    await removeFile(sender, first!);
    await sweep(packing(there), 2 * day);
    expect([...there]).toEqual([segment]);

    await removeFile(sender, second!);
    await sweep(packing(there), day - 60_000);
    expect([...there]).toEqual([segment]);
    await sweep(packing(there), 2 * day);
    const [, rewritten] = [...there];
    expect([...there]).toEqual([segment, rewritten]);
    const keys = await services.db.selectFrom('files').select(['id', 'object_key']).where('package_id', '=', sender.package.id).execute();
    expect(keys.map(({ id, object_key }) => [id, parsePackedKey(object_key!)!.segment, parsePackedKey(object_key!)!.length])).toEqual(
      expect.arrayContaining(others.map(({ id, length }) => [id, rewritten, length])),
    );
    const row = (id: string) => segmentsIn([id]).then(([one]) => one);
    expect(await row(rewritten!)).toMatchObject({ bytes: 90, files: 3, isFreed: false });
    expect(await row(segment)).toMatchObject({ bytes: 0, files: 0, isFreed: false });

    await sweep(packing(there), 2 * day + limits.downloadUrlSeconds * 1000 - 60_000);
    expect([...there]).toEqual([segment, rewritten]);
    await sweep(packing(there), 2 * day + limits.downloadUrlSeconds * 1000 + 60_000);
    expect([...there]).toEqual([rewritten]);
    await end(sender.package.id, packing(there));
    expect([...there]).toEqual([]);
  });

  it('counts right where many packages are freed and filled at once, and nobody waits for ever', async () => {
    const ids = Array.from({ length: 6 }, newSegment);
    const storage = packing(new Set(ids));
    const senders = await Promise.all(Array.from({ length: 8 }, () => newSender(t)));
    const files = new Map<string, Recorded[]>();
    const fill = async ({ package: { id } }: Sender, turn: number) => {
      const rows = ids.flatMap((segment, index) =>
        Array.from({ length: 5 }, () => ({ id: newId(), packageId: id, segment, length: index + turn })),
      );
      // Each in an order of its own.
      const shuffled = rows.toSorted((one, other) => one.id.at(-1)!.localeCompare(other.id.at(-1)!));
      await insertFiles(services.db, shuffled.map(newRow));
      expect(await finalizeFiles(services.db, shuffled.map(endOf), new Date())).not.toContain(false);
      files.set(id, rows);
    };
    await Promise.all(senders.map(fill));
    const others = await Promise.all(Array.from({ length: 8 }, () => newSender(t)));
    await Promise.all([
      ...senders.slice(0, 6).map(({ package: { id } }) => end(id, storage)),
      ...others.map((sender, index) => fill(sender, index)),
      ...files.get(senders[7]!.package.id)!.map((file) => removeFile(senders[7]!, file)),
    ]);
    const used = await usedIn(ids);
    const known = await segmentsIn(ids);
    expect(known).toHaveLength(ids.length);
    for (const { id, bytes, files: count } of known) expect({ bytes, files: count }).toEqual(used.get(id));
    expect(known.map(({ files: count }) => count)).toEqual(ids.map(() => 9 * 5));
  });
});
