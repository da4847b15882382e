import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CloudProvider } from '#providers/ports.ts';
import { s3Config } from '#providers/s3/config.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { cleanUpImport } from '#service/transfers/import/clean-up.ts';
import type { ImportRequest } from '#service/transfers/import/ports.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { withRetry as withStorageRetry } from '#storage/wrappers/retry.ts';
import { firstOf } from '#test/support/level.ts';
import { newCloud } from '#test/support/providers/in-memory-provider.ts';
import { type ImportBench, importBench } from '#test/support/service/import-bench.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';
import { borrowRgw, hasRgw, type RgwUser, type RunningRgw } from '#test/support/storage/rgw.ts';

const MiB = 1024 * 1024;
const chunkSize = 5 * MiB;
const limits = { files: 8, parts: 3, entries: 10_000 };

const contents = new Map<string, Buffer>([
  ['d/a large.mov', randomBytes(23 * MiB)],
  ['d/empty.bin', Buffer.alloc(0)],
  ["d/ünï 日本/q'uote&amp;+%41 #1.txt", randomBytes(100)],
  ...Array.from({ length: 40 }, (_, index) => [`d/day ${index % 3}/${index}.bin`, randomBytes(10_240)] as const),
]);

describe.skipIf(!hasRgw())('from Ceph RADOS Gateway into a package', () => {
  let rgw: RunningRgw;
  let user: RgwUser;
  let source: string;
  let client: S3Client;
  const providers: CloudProvider[] = [];

  beforeAll(async () => {
    rgw = await borrowRgw();
    user = await rgw.newUser();
    source = (await rgw.newBucket(user)).name;
    const credentials = { accessKeyId: user.accessKeyId, secretAccessKey: user.secretAccessKey };
    client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    for (const [Key, Body] of contents) await put(Key, Body);
    await put('d/nothing/in it/', Buffer.alloc(0));
  });
  afterAll(async () => {
    for (const provider of providers) await provider.close();
    client?.destroy();
    await rgw?.close();
  });

  const put = (Key: string, Body: Buffer) => client.send(new PutObjectCommand({ Bucket: source, Key, Body, ContentLength: Body.length }));

  function open(): CloudProvider {
    const config = s3Config('minio_s3', {
      client_id: user.accessKeyId,
      client_secret: user.secretAccessKey,
      destination: source,
      endpoint: rgw.endpoint,
      region: 'default',
      force_s3_path_style: 'true',
    });
    const provider = createS3Provider(config, { mayConnect: () => true, now: () => new Date() });
    providers.push(provider);
    return withRetry(provider);
  }

  interface Target {
    readonly storage: ObjectStorage;
    /** Names of what lies there, unfinished uploads too; null where that is not asked. */
    stored(): Promise<readonly string[] | null>;
    close(): Promise<void>;
  }

  async function local(): Promise<Target> {
    const running = await startTestStorage();
    return { storage: running.storage, stored: async () => null, close: () => running.close() };
  }

  async function bucket(): Promise<Target> {
    const { name, stored } = await rgw.newBucket(user);
    const { host } = new URL(rgw.endpoint);
    const url = `s3://${user.accessKeyId}:${encodeURIComponent(user.secretAccessKey)}@${host}/${name}?tls=false&path_style=true`;
    const storage = createS3Storage(parseS3Url(url));
    return { storage: withStorageRetry(storage), stored, close: () => storage.close() };
  }

  for (const [name, openTarget] of firstOf([
    ['local storage', local],
    ['a bucket of the same server', bucket],
  ] as const)) {
    describe(`over ${name}`, () => {
      let target: Target;
      beforeAll(async () => {
        target = await openTarget();
      });
      afterAll(() => target?.close());

      const run = (at: ImportBench, change: Partial<ImportRequest>) => at.run({ provider: open(), limits, ...change });

      async function expectPackaged(at: ImportBench): Promise<void> {
        for (const [path, bytes] of contents) {
          const file = at.packaged.get(path)!;
          expect(file?.state, path).toBe('finalized');
          expect(file.digest, path).toBe(fileDigest(bytes, chunkSize));
          expect((await buffer(await target.storage.read(file.fileId))).equals(bytes), path).toBe(true);
        }
        expect(at.packaged.get('d/nothing/in it')?.kind).toBe('directory');
      }

      test('cut off again and again, everything comes once, and no stored chunk is asked for again', async () => {
        const at = importBench(newCloud(), target.storage, [{ id: 'd', name: 'd', kind: 'directory' }], chunkSize);
        const stored = new Set<string>();
        const twice: string[] = [];
        for (const cut of [0, 1, 2, Number.POSITIVE_INFINITY]) {
          const stop = new AbortController();
          const provider = open();
          const watched: CloudProvider = {
            ...provider,
            async openRange(request, signal) {
              // So many chunks of the large file are stored.
              if (request.id === 'd/a large.mov' && (at.state.chunks.get(0)?.size ?? 0) >= cut) stop.abort(new Error('cut'));
              const part = `${request.id} ${request.range?.start}`;
              if (stored.has(part)) twice.push(part);
              return await provider.openRange(request, signal);
            },
          };
          const ended = run(at, { provider: watched, signal: stop.signal });
          if (cut === Number.POSITIVE_INFINITY) expect((await ended).files).toBe(contents.size + 1);
          else await expect(ended).rejects.toThrow('cut');
          for (const { position, id } of at.state.rows) {
            for (const number of at.state.chunks.get(position)?.keys() ?? []) stored.add(`${id} ${(number - 1) * chunkSize}`);
          }
        }
        expect(twice).toEqual([]);
        expect(stored.size).toBeGreaterThan(0);
        await expectPackaged(at);
        const names = await target.stored();
        if (names) expect(names.length).toBe(contents.size);
      });

      test('a file that is replaced while it comes, comes in one version', async () => {
        const Key = `changes ${name}.mov`;
        const [first, second] = [randomBytes(11 * MiB), randomBytes(12 * MiB)];
        await put(Key, first);
        const at = importBench(newCloud(), target.storage, [{ id: Key, name: 'a.mov', kind: 'file' }], chunkSize);
        const provider = open();
        let asked = 0;
        const watched: CloudProvider = {
          ...provider,
          async openRange(request, signal) {
            asked += 1;
            if (asked === 2) await put(Key, second);
            return await provider.openRange(request, signal);
          },
        };
        await run(at, { provider: watched });
        const file = at.packaged.get('a.mov')!;
        expect(file.digest).toBe(fileDigest(second, chunkSize));
        expect((await buffer(await target.storage.read(file.fileId))).equals(second)).toBe(true);
      });

      test('cancelled, nothing unfinished is left', async () => {
        const before = (await target.stored())?.length;
        const at = importBench(newCloud(), target.storage, [{ id: 'd/a large.mov', name: 'a.mov', kind: 'file' }], chunkSize);
        const stop = new AbortController();
        const provider = open();
        let asked = 0;
        const watched: CloudProvider = {
          ...provider,
          async openRange(request, signal) {
            if (++asked === 4) stop.abort(new Error('cancelled'));
            return await provider.openRange(request, signal);
          },
        };
        await expect(run(at, { provider: watched, signal: stop.signal })).rejects.toThrow('cancelled');
        await cleanUpImport({ journal: at.journal, files: at.files, signal: new AbortController().signal });
        expect(at.packaged.size).toBe(0);
        expect((await target.stored())?.length).toBe(before);
      });
    });
  }
});
