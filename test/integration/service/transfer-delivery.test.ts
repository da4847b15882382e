import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAzureProvider } from '#providers/azure/azure-provider.ts';
import { azureConfig } from '#providers/azure/config.ts';
import type { CloudProvider, ProviderEnvironment } from '#providers/ports.ts';
import { s3Config } from '#providers/s3/config.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { aroundCalls } from '#providers/wrappers/around.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { cleanUp } from '#service/transfers/delivery/clean-up.ts';
import { deliver } from '#service/transfers/delivery/deliver.ts';
import type { DeliveryFile, DeliveryRequest } from '#service/transfers/delivery/ports.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import { firstOf } from '#test/support/level.ts';
import { accountSas, newContainer } from '#test/support/providers/azurite/azurite.ts';
import { manifestFacts } from '#test/support/service/delivery-bench.ts';
import { createInMemoryJournal, newDeliveryState, rowOf } from '#test/support/service/in-memory-delivery-journal.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';

const environment: ProviderEnvironment = { mayConnect: () => true, now: () => new Date() };
const mebibyte = 1024 * 1024;
const limits = { files: 8, parts: 3 };
const memory = createPartMemory({ reserved: 6 * mebibyte, shared: 18 * mebibyte });
const never = new AbortController().signal;

interface Server {
  create(): CloudProvider;
  stored(): Promise<readonly string[]>;
}

async function rgw(): Promise<Server> {
  const server = await borrowRgw();
  const user = await server.newUser();
  const bucket = await server.newBucket(user);
  const config = s3Config('minio_s3', {
    client_id: user.accessKeyId,
    client_secret: user.secretAccessKey,
    destination: bucket.name,
    endpoint: server.endpoint,
    region: 'default',
    force_s3_path_style: 'true',
  });
  return { create: () => createS3Provider(config, environment), stored: bucket.stored };
}

async function azurite(): Promise<Server> {
  const { name, service, stored } = await newContainer();
  const config = azureConfig({ blob_service_sas_url: `${service}?${accountSas()}`, destination: name });
  return { create: () => createAzureProvider(config, environment), stored };
}

describe('from local storage to a real server', () => {
  let storage: TestStorage;
  let files: DeliveryFile[];
  const contents = new Map<string, Buffer>();

  beforeAll(async () => {
    storage = await startTestStorage();
    contents.set('large.mov', randomBytes(23 * mebibyte));
    contents.set('empty.bin', Buffer.alloc(0));
    contents.set("ünï 日本/q'uote&amp;+%41 #1?.txt", randomBytes(100));
    for (let index = 0; index < 60; index++) contents.set(`day ${index % 3}/${index}.bin`, randomBytes(10_240));
    files = [];
    for (const [path, bytes] of contents) {
      const id = randomUUID();
      await storage.storage.write(id, bytes);
      const common = { id, key: id, path, modified: new Date('2026-03-04T05:06:07Z'), contentType: 'application/octet-stream', etag: '' };
      files.push({ ...common, kind: 'file', size: bytes.length, digest: fileDigest(bytes, 100 * mebibyte), chunkSize: 100 * mebibyte });
    }
    const folder = { kind: 'directory', size: 0, modified: null, contentType: '', digest: null, etag: '', chunkSize: 0 } as const;
    files.push({ ...folder, id: randomUUID(), key: '', path: 'nothing/in it' });
  });
  afterAll(() => storage?.close());

  for (const [name, isThere, open] of firstOf([
    ['Ceph RADOS Gateway', hasRgw(), rgw],
    ['Azurite', true, azurite],
  ] as const)) {
    describe.skipIf(!isThere)(name, () => {
      let server: Server;
      const providers: CloudProvider[] = [];
      const create = (): CloudProvider => {
        const provider = server.create();
        providers.push(provider);
        return withRetry(provider);
      };
      beforeAll(async () => {
        server = await open();
      });
      afterAll(async () => {
        for (const provider of providers) await provider.close();
      });

      const request = (folder: string, state: ReturnType<typeof newDeliveryState>, change: Partial<DeliveryRequest>): DeliveryRequest => ({
        givenFolder: null,
        provider: create(),
        storage: storage.storage,
        journal: createInMemoryJournal(state),
        folder,
        manifest: manifestFacts,
        memory: memory.open(),
        limits,
        signal: never,
        onProgress: () => {},
        ...change,
      });

      test('cut off again and again, everything arrives once, and no confirmed part is sent again', async () => {
        const state = newDeliveryState(files);
        const folder = 'Portal Downloads/Dailies/Rushes';
        const confirmed = new Set<string>();
        // Each time at most ten more are answered, which are under way then: something is left after the last cut.
        for (let cut = 0; cut < 3; cut++) {
          const stop = new AbortController();
          let parts = 0;
          const provider = aroundCalls(create(), async ({ name: call, run }) => {
            const answer = await run();
            if (call === 'putPart' && ++parts === 8) stop.abort(new Error('cut off'));
            return answer;
          });
          const counting: CloudProvider = {
            ...provider,
            async putPart(part, signal) {
              const key = `${JSON.stringify(part.handle)} ${part.number}`;
              expect(confirmed.has(key), key).toBe(false);
              const stored = await provider.putPart(part, signal);
              confirmed.add(key);
              return stored;
            },
          };
          await expect(deliver(request(folder, state, { provider: counting, signal: stop.signal }))).rejects.toThrow('cut off');
        }
        const result = await deliver(request(folder, state, {}));
        expect(result.done.files).toBe(files.length);

        const provider = create();
        for (const { id, path, kind } of files) {
          if (kind === 'directory') continue;
          const { object, target } = rowOf(state, id);
          expect(target).toBe(`${folder}/${path}`);
          expect((await buffer(await provider.openRange({ id: object!.id }, never))).equals(contents.get(path)!), path).toBe(true);
        }
        const names = [...files.map(({ path }) => path), 'longshore-manifest-transfer-1.json'];
        const listed: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: Awaited<ReturnType<CloudProvider['list']>> = await provider.list(
            { folder, count: 1000, recursive: true, ...(cursor !== '' && { cursor }) },
            never,
          );
          listed.push(...page.entries.map(({ id }) => id.slice(folder.length + 1).replace(/\/$/, '')));
          cursor = page.cursor;
        }
        expect(listed.sort()).toEqual(names.sort());
        // No unfinished upload, nothing beside it.
        expect(await server.stored()).toHaveLength(names.length);
      });

      test('another package of one name has a folder of its own, and a cancelled one leaves nothing', async () => {
        const before = await server.stored();
        const state = newDeliveryState(files.filter(({ path }) => path === 'large.mov' || path === 'nothing/in it'));
        const stop = new AbortController();
        const provider = aroundCalls(create(), async ({ name: call, run }) => {
          const answer = await run();
          if (call === 'putPart') stop.abort(new Error('cancelled'));
          return answer;
        });
        const cancelled = deliver(request('Portal Downloads/Dailies/Rushes', state, { provider, signal: stop.signal }));
        await expect(cancelled).rejects.toThrow('cancelled');
        expect(state.folder).toBe('Portal Downloads/Dailies/Rushes (2)');
        expect((await server.stored()).length).toBeGreaterThan(before.length);
        await cleanUp({ provider: create(), journal: createInMemoryJournal(state), givenFolder: null, signal: never });
        expect(state.folder).toBeNull();
        expect([...(await server.stored())].sort()).toEqual([...before].sort());
      });
    });
  }
});
