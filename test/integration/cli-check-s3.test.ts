import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Bucket } from '#service/integrity/bucket.ts';
import { checkStorage } from '#service/integrity/check.ts';
import { checkedBucket } from '#service/integrity/checked-bucket.ts';
import type { CheckedStorage } from '#service/integrity/checked-storage.ts';
import { readSharedIntegrity } from '#service/integrity/database-journal.ts';
import type { Finding } from '#service/integrity/finding.ts';
import { itemKey } from '#service/integrity/item-key.ts';
import { createScrub, integrityCheck } from '#service/integrity/scrub.ts';
import { createLogger } from '#service/log.ts';
import { claimOwnBucket } from '#service/objects-bucket.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { batchesOf, resultOf } from '#test/support/service/batch-sender.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { etagFor, newSender, openLink, type Sender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { sendTogether } from '#test/support/storage/packed.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** `longshore admin check` of a bucket of Ceph's RADOS Gateway, whose bytes are changed below it. */

const MiB = 1024 * 1024;
const noEnd = new Date(Date.now() + 24 * 3_600_000);

describe.skipIf(!hasRgw())('a check of a bucket', () => {
  let rgw: RunningRgw;
  let bucket: string;
  let url: string;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let dataDir: string;
  let postgres: TestPostgres;
  let t: TestService;
  let client: pg.Client;
  let sent: Sender;
  let storage: Bucket;
  beforeAll(async () => {
    folder = await tempFolder();
    dataDir = join(folder.path, 'data');
    await mkdir(dataDir, { mode: 0o711 });
    rgw = await borrowRgw();
    const user = await rgw.newUser();
    bucket = (await rgw.newBucket(user)).name;
    const credentials = `${user.accessKeyId}:${encodeURIComponent(user.secretAccessKey)}`;
    url = `s3://${credentials}@${new URL(rgw.endpoint).host}/${bucket}?tls=false&path_style=true&packed=true&prefix=files/`;
    postgres = await startedTestDatabase(join(dataDir, 'service'));
    t = await startTestService({
      ...{ dataDir: join(dataDir, 'service'), databaseUrl: postgres.url, storageUrl: url, processes: 1, scrubRate: 10 ** 9 },
    });
    storage = t.service.services.storage as Bucket;
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    sent = await newSender(t, { name: 'Dailies', recipients: ['a@x.org'], chunk_size: 5 * MiB });
    await sent.send('a', 'one.bin', randomBytes(200_000));
    await sendLarge('large.bin', 5 * MiB + 1_000);
    await sendPacked(['0.txt', '1.txt', '2.txt']);
    expect((await sent.finalize()).status).toBe(204);
  });
  afterAll(async () => {
    await client?.end();
    await t?.close();
    await postgres?.close();
    await rgw?.close();
    await folder?.remove();
  });

  async function sendLarge(name: string, size: number): Promise<void> {
    const bytes = randomBytes(size);
    const upload = await sent.begin('a', name, { size });
    const etags = [await upload.put(0, bytes.subarray(0, 5 * MiB)), await upload.put(1, bytes.subarray(5 * MiB))];
    expect((await upload.finalize(etags, size)).status).toBe(204);
  }

  async function sendPacked(names: readonly string[]): Promise<void> {
    const contents = names.map(() => randomBytes(500));
    const batch = batchesOf(t, sent);
    const { body } = await batch.create(names.map((name) => ({ path: 'many', name, size: 500 })));
    const files = body.files as readonly BatchCreated[];
    const uploads = files.map((one) => ({ key: one.file!.id, uploadId: one.upload_id!, put: one.put_blueprint! }));
    await sendTogether(storage, uploads, contents);
    const done = await batch.finalize(files.map((one, index) => resultOf(one, etagFor(contents[index]!), 500)));
    expect(done.body.files.filter(({ error }) => error)).toEqual([]);
  }

  const fileNamed = (name: string) =>
    t.service.services.db.selectFrom('files').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

  interface CheckFlags {
    readonly deep?: boolean;
    readonly repair?: boolean;
    readonly at?: Date;
    readonly signal?: AbortSignal;
  }
  const check = ({ deep = false, repair = false, at = new Date(), signal = new AbortController().signal }: CheckFlags = {}) =>
    checkStorage({
      ...{ connection: { connectionString: postgres.url }, dataDir: t.dataDir, storage: checkedBucket(storage), deep, repair, signal },
      ...{ rate: null, fromStart: false, now: () => at, onProgress: () => undefined, onFinding: () => undefined },
    });
  const found = async (flags: CheckFlags = {}): Promise<readonly Finding[]> => (await check(flags)).findings;

  let undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of undo.reverse()) await one();
    undo = [];
    expect(await found({ deep: true })).toEqual([]);
  });

  /** Below the gateway, so that names, sizes and etags stay as they are; put back after the test. */
  async function flip(key: string, at: number): Promise<void> {
    await rgw.flip(bucket, key, at);
    undo.push(() => rgw.flip(bucket, key, at));
  }

  it('finds nothing where all is as it should be', async () => {
    const args = ['admin', 'check', '--data-dir', dataDir, '--database-url', postgres.url, '--storage-url', url];
    const { code, stdout } = await longshoreHere(args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^All is there: 5 objects of 5.45 MB, by name and size\.\n$/)]);
    expect((await longshoreHere([...args, '--deep'])).stdout).toMatch(/5 objects of 5.45 MB, each byte by its digest\.\n$/);
  });

  it.each(
    firstOf([
      ['one.bin', 'a/one.bin', 100_000],
      ['large.bin', 'a/large.bin', 700],
    ]),
  )('finds a flipped byte in %s by its package and file, and gives it to nobody from then on', async (name, file_name, at) => {
    const { id, etag } = await fileNamed(name);
    const headers = { 'x-package-token': (await openLink(t, (await sent.links())[0]!)).body.package_token };
    const address = () => t.call<{ url: string }>('GET', `/v1/packages/${sent.package.id}/files/${id}/download`, { headers });
    const whole = Buffer.from(await (await fetch((await address()).body.url)).arrayBuffer());
    await flip(id, at);
    // The gateway gives other bytes under the same etag.
    const answer = await fetch((await address()).body.url);
    expect(answer.headers.get('etag')).toBe(`"${etag}"`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(false);
    expect(await found()).toEqual([]);
    const damaged = {
      kind: 'damaged',
      key: id,
      file_id: id,
      file_name,
      package_name: 'Dailies',
      package_id: sent.package.id,
      team_id: t.teamId,
    };
    expect(await found({ deep: true })).toMatchObject([damaged]);
    expect(await address()).toMatchObject({ status: 410, body: { code: 327692 } });
    const many = await t.call<{ files: { error?: { code: number } }[] }>('POST', `/v1/packages/${sent.package.id}/files/batch/download`, {
      headers,
      body: { file_ids: [id] },
    });
    expect(many.body.files).toMatchObject([{ error: { code: 327692 } }]);
    const { body: files } = await t.call<File[]>('GET', `/v1/packages/${sent.package.id}/files`, { headers });
    expect(files.filter((one) => one.damaged).map((one) => one.name)).toEqual([name]);
    // A look without the bytes knows it from the one with them.
    expect(await found()).toMatchObject([{ kind: 'damaged', file_id: id, detail: 'found by a deep check' }]);
    await undo.pop()!();
    expect(await found({ deep: true })).toEqual([]);
    expect((await address()).status).toBe(200);
  });

  it('finds a flipped byte in one of many packed files', async () => {
    const { id, object_key } = await fileNamed('1.txt');
    const [segment, offset] = object_key!.split('.');
    await flip(segment!, Number(offset) + 3);
    expect(await found({ deep: true })).toMatchObject([
      { kind: 'damaged', file_id: id, file_name: 'many/1.txt', path: `segments/${segment}` },
    ]);
  });

  it.each(
    firstOf([
      ['size', 199_999],
      ['etag', '0'.repeat(32)],
      ['digest', `blake3:${'0'.repeat(64)}`],
    ]),
  )('finds a row whose %s was changed', async (column, value) => {
    const { id, size, etag, digest } = await fileNamed('one.bin');
    const set = (change: object) => t.service.services.db.updateTable('files').set(change).where('id', '=', id).execute();
    await set({ [column]: value });
    undo.push(() => set({ size, etag, digest }));
    const [finding] = await found({ deep: true });
    expect(finding).toMatchObject({ kind: 'altered', file_id: id, detail: `its row has another ${column} than its bytes` });
  });

  it('finds what is missing: an object, a segment', async () => {
    const { id } = await fileNamed('one.bin');
    const segment = `segments/${(await fileNamed('0.txt')).object_key!.slice(0, 32)}`;
    for (const key of [id, segment]) {
      const bytes = Buffer.concat(await (await storage.read(key)).toArray());
      await storage.delete(key);
      // As one: other than it was sent.
      undo.push(() => storage.write(key, bytes));
    }
    const missing = (await found()).map(({ kind, file_name }) => [kind, file_name]);
    expect(missing.sort()).toEqual([
      ['missing', 'a/one.bin'],
      ['missing', 'many/0.txt'],
      ['missing', 'many/1.txt'],
      ['missing', 'many/2.txt'],
    ]);
    expect((await found({ deep: true })).length).toBe(4);
  });

  it(
    'finds what nothing needs, once it is old, and frees it where that is asked',
    inAll('the same of local storage, in cli-check'),
    async () => {
      const [orphan, image, segment] = [randomUUID(), `images/${randomUUID()}`, `segments/${randomBytes(16).toString('hex')}`];
      for (const key of [orphan, image, segment, 'of others/x.txt'.replaceAll(' ', '-')]) await storage.write(key, Buffer.from('abc'));
      undo.push(() => storage.delete('of-others/x.txt'));
      // An upload of a file that is whole, one of a file that is gone, and one that somebody may still complete.
      const whole = await fileNamed('one.bin');
      const gone = randomUUID();
      for (const key of [whole.id, gone]) await storage.begin(key);
      const sender = await newSender(t, { name: 'Under way' });
      const upload = await sender.begin('', 'under way.bin', { size: 6 * MiB });
      undo.push(() => upload.remove());
      expect(await found()).toEqual([]);
      const at = new Date(Date.now() + 4 * 24 * 3_600_000);
      const told = (findings: readonly Finding[]) => findings.map(({ kind, path }) => `${kind} ${path}`).sort();
      const orphans = [orphan, image, segment, whole.id, gone].map((path) => `orphan ${path}`);
      expect(told(await found({ at }))).toEqual(['foreign of-others/x.txt', ...orphans].sort());
      expect((await found({ at, repair: true })).filter(({ repaired }) => repaired)).toHaveLength(5);
      await runJob(t.service.services, 'objects.sweep', {});
      expect(told(await found({ at }))).toEqual(['foreign of-others/x.txt']);
      expect(await storage.head(whole.id)).not.toBeNull();
      expect((await storage.listUploads(null)).map(({ key }) => key)).toEqual([upload.file.id]);
    },
  );

  it('goes on after a stop, wherever it was, and reads nothing twice', inAll('the same of local storage, in cli-check'), async () => {
    for (const left of [2, 1, 0]) {
      const stop = new AbortController();
      let reads = 0;
      const read = async (key: string) => {
        reads += 1;
        if (reads > left) stop.abort(new Error('enough'));
        return await storage.read(key);
      };
      const counted = { ...storage, read };
      const options = { connection: { connectionString: postgres.url }, dataDir: t.dataDir, storage: checkedBucket(counted), deep: true };
      const more = { rate: 10 ** 12, repair: false, fromStart: false, now: () => new Date(), onProgress: () => undefined };
      await expect(checkStorage({ ...options, ...more, signal: stop.signal, onFinding: () => undefined })).rejects.toThrow('enough');
    }
    expect(await check({ deep: true })).toMatchObject({ went_on: true, objects: 5, findings: [] });
  });

  it('is done by the service itself, each night', async () => {
    const { id } = await fileNamed('large.bin');
    const problem = async () => (await integrityCheck(() => readSharedIntegrity(t.service.services.db))())?.error;
    await runJob(t.service.services, 'integrity.scrub', {});
    expect(await problem()).toBeUndefined();
    await flip(id, 4_000);
    await runJob(t.service.services, 'integrity.scrub', {});
    expect(await problem()).toBe('storage_damaged');
    await undo.pop()!();
    await runJob(t.service.services, 'integrity.scrub', {});
    expect(await problem()).toBeUndefined();
  });

  it('goes on where the last night ended, whichever worker has it, and reads all once', async () => {
    const { db } = t.service.services;
    const integrity = () => readSharedIntegrity(db);
    let read: string[] = [];
    /** A night in which one worker, with a data folder of its own, has time for so many. */
    async function night(worker: string, most = Number.POSITIVE_INFINITY): Promise<void> {
      const morning = new AbortController();
      const whole = checkedBucket(storage);
      const seen = read.length;
      const watched: CheckedStorage = {
        ...whole,
        width: { deep: 1, quick: 1 },
        look(own, given) {
          const look = whole.look(own, given);
          return {
            ...look,
            async verify(item, inside) {
              read.push(itemKey(item));
              const faults = await look.verify(item, inside);
              if (read.length - seen === most) morning.abort();
              return faults;
            },
          };
        },
      };
      const dataDir = join(folder.path, worker);
      const scrub = createScrub({
        ...{ connection: { connectionString: postgres.url }, dataDir, storage: watched, integrity, rate: 10 ** 12, now: () => new Date() },
      });
      await scrub.run(noEnd, morning.signal, createLogger('silent'));
      // Lists are large.
      await expect(readdir(join(dataDir, 'integrity'))).resolves.toEqual([]);
    }
    await night('first');
    const all = read;
    expect(new Set(all).size).toBe(3);
    const before = (await integrity()).last;
    const { id } = await fileNamed('large.bin');
    await flip(id, 4_000);

    read = [];
    await night('second', 1);
    // What comes meanwhile is of the next time: otherwise a bucket that grows would never be through.
    const sender = await newSender(t, { name: 'Later' });
    const later = await sender.begin('', 'later.bin', { size: 200_000 });
    const bytes = randomBytes(200_000);
    expect((await later.finalize([await later.put(0, bytes)], 200_000)).status).toBe(204);
    await night('first', 1);
    expect(read).toEqual(all.slice(0, 2));
    expect([(await integrity()).last, (await integrity()).counts]).toEqual([before, { damaged: 1 }]);
    await undo.pop()!();
    await night('second', 1);
    await night('second');
    expect(read).toEqual(all);
    // What the first worker found is not forgotten by the other one, who ended it.
    expect((await integrity()).last).toMatchObject({ objects: 5, counts: { damaged: 1 } });
    expect(await db.selectFrom('integrity_findings').select(['kind', 'key']).execute()).toEqual([{ kind: 'damaged', key: id }]);
    await night('first', 1);
    await night('second');
    expect(read.slice(all.length).toSorted()).toEqual([...all, later.file.id].toSorted());
    expect((await integrity()).counts).toEqual({});
    expect(await db.selectFrom('integrity_check_findings').select('id').execute()).toEqual([]);
  });

  /** The nightly check of one worker, with a data folder of its own. `read` is called with the bytes that come. */
  function workerOf(name: string, read: (bytes: number) => void | Promise<void>) {
    async function* counted(bytes: AsyncIterable<Buffer>) {
      for await (const piece of bytes) {
        await read(piece.length);
        yield piece;
      }
    }
    const watched = {
      ...storage,
      read: async (...asked: Parameters<Bucket['read']>) => Readable.from(counted(await storage.read(...asked)), { objectMode: false }),
    };
    return createScrub({
      ...{ connection: { connectionString: postgres.url }, dataDir: join(folder.path, name), rate: 10 ** 12, now: () => new Date() },
      storage: { ...checkedBucket(watched), width: { deep: 1, quick: 1 } },
      integrity: () => readSharedIntegrity(t.service.services.db),
    });
  }
  const silent = createLogger('silent');

  it(
    'goes on inside an object that is larger than the share of a night, by any worker, also while it is read three times',
    inAll('the same of local storage, in cli-check'),
    async () => {
      const { db } = t.service.services;
      const integrity = () => readSharedIntegrity(db);
      const sender = await newSender(t, { name: 'Long takes', chunk_size: 5 * MiB });
      const size = 15 * MiB + 5;
      const upload = await sender.begin('', 'take.mxf', { size });
      const bytes = randomBytes(size);
      const etags = [];
      for (let index = 0; index < 4; index += 1)
        etags.push(await upload.put(index, bytes.subarray(index * 5 * MiB, (index + 1) * 5 * MiB)));
      expect((await upload.finalize(etags, size)).status).toBe(204);

      /** As many nights as a check takes. */
      async function checkOnce(): Promise<{ readonly nights: number; readonly read: number; readonly bytes: number }> {
        const before = (await integrity()).last?.begun_at;
        let [nights, read] = [0, 0];
        for (; (await integrity()).last?.begun_at === before && nights < 12; nights += 1) {
          const morning = new AbortController();
          let left = 8 * MiB;
          const worker = workerOf(nights % 2 === 0 ? 'first' : 'second', (some) => {
            read += some;
            left -= some;
            if (left <= 0) morning.abort();
          });
          await worker.run(noEnd, morning.signal, silent);
        }
        return { nights, read, bytes: (await integrity()).last!.bytes };
      }
      await flip(upload.file.id, 7);
      const damaged = await checkOnce();
      expect((await integrity()).counts).toEqual({ damaged: 1 });
      expect(damaged.nights).toBeLessThan(12);
      // Each night at most one chunk was begun and not ended, and a little more had come before that was noticed.
      expect(damaged.read).toBeLessThan(damaged.bytes + 2 * size + damaged.nights * 6 * MiB);
      await undo.pop()!();
      const whole = await checkOnce();
      expect((await integrity()).counts).toEqual({});
      expect(whole.nights).toBeGreaterThan(2);
      expect(whole.read).toBeLessThan(whole.bytes + whole.nights * 6 * MiB);
    },
  );

  it(
    'is done by one worker at a time; the next takes it over once that one has lost its connection, and it reads no more',
    inAll('a night that another worker goes on with'),
    async () => {
      const reached = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      let first = 0;
      const held = workerOf('first', async () => {
        first += 1;
        reached.resolve();
        await gate.promise;
      }).run(noEnd, new AbortController().signal, silent);
      held.catch(() => undefined);
      await reached.promise;
      let second = 0;
      const other = workerOf('second', (some) => {
        second += some;
      });
      await other.run(noEnd, new AbortController().signal, silent);
      expect(second).toBe(0);
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'longshore check' and datname = current_database()`,
      );
      await eventually('the second one takes it over', async () => {
        await other.run(noEnd, new AbortController().signal, silent);
        return second > 0;
      });
      // All of it.
      expect(second).toBeGreaterThanOrEqual((await readSharedIntegrity(t.service.services.db)).last!.bytes);
      gate.resolve();
      await expect(held).rejects.toThrow(/connection/);
      expect(first).toBe(1);
    },
  );

  it('refuses the bucket of another service', async () => {
    const other = url.replace('prefix=files/', 'prefix=others/');
    const { code, stderr } = await longshoreHere([
      'admin',
      'check',
      '--data-dir',
      dataDir,
      '--database-url',
      postgres.url,
      '--storage-url',
      other,
    ]);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('The objects of this service are in another bucket than --storage-url names'),
    ]);
    const elsewhere = createS3Storage(parseS3Url(other));
    await elsewhere.write('bucket.id', Buffer.from(`${randomUUID()}\n`));
    await expect(claimOwnBucket(t.service.services.db, elsewhere)).rejects.toMatchObject({ code: 'storage_unusable' });
    await claimOwnBucket(t.service.services.db, storage);
    await elsewhere.close();
  });
});
