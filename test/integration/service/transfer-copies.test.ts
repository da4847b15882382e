import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { HeadObjectCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partRanges } from '#providers/parts.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { s3Config } from '#providers/s3/config.ts';
import { createS3Provider } from '#providers/s3/s3-provider.ts';
import { aroundCalls } from '#providers/wrappers/around.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { deliver } from '#service/transfers/delivery/deliver.ts';
import type { DeliveryFile, DeliveryRequest } from '#service/transfers/delivery/ports.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { createS3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { createInMemoryJournal, newDeliveryState } from '#test/support/service/in-memory-delivery-journal.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { fileDigest } from '#test/support/service/stored-files.ts';
import { askTransfer, putConnection, sentPackage, transferBecomes } from '#test/support/service/transfers.ts';
import { borrowRgw, hasRgw, type RgwUser, type RunningRgw } from '#test/support/storage/rgw.ts';

const MiB = 1024 * 1024;
const chunkSize = 5 * MiB;
const limits = { files: 8, parts: 3 };
const never = new AbortController().signal;

const contents = new Map<string, Buffer>([
  ['large.mov', randomBytes(23 * MiB)],
  ['empty.bin', Buffer.alloc(0)],
  ["ünï 日本/q'uote&amp;+%41 #1?.txt", randomBytes(100)],
  ...Array.from({ length: 20 }, (_, index) => [`day ${index % 3}/${index}.bin`, randomBytes(50_000)] as const),
]);
const allBytes = [...contents.values()].reduce((sum, { length }) => sum + length, 0);

describe.skipIf(!hasRgw())('our storage and theirs at one Ceph RADOS Gateway', () => {
  let rgw: RunningRgw;
  /** Every byte to and from the gateway passes it. */
  let proxy: StorageProxy;
  let service: RgwUser;
  let ourBucket: string;
  let storage: ObjectStorage;
  let files: DeliveryFile[];
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    rgw = await borrowRgw();
    proxy = await startStorageProxy();
    proxy.upstream = rgw.endpoint;
    service = await rgw.newUser();
    ourBucket = (await rgw.newBucket(service)).name;
    const { host } = new URL(proxy.url);
    const credentials = `${service.accessKeyId}:${encodeURIComponent(service.secretAccessKey)}`;
    storage = createS3Storage(parseS3Url(`s3://${credentials}@${host}/${ourBucket}?tls=false&path_style=true&prefix=files`));
    open.push(storage);
    files = await Promise.all([...contents].map(([path, bytes]) => sendToUs(path, bytes)));
  });
  afterAll(async () => {
    for (const one of open) await one.close();
    await proxy?.close();
    await rgw?.close();
  });

  async function sendToUs(path: string, bytes: Buffer): Promise<DeliveryFile> {
    const id = randomUUID();
    const facts = { id, key: id, kind: 'file', path, size: bytes.length, modified: new Date('2026-03-04T05:06:07Z'), chunkSize } as const;
    const known = { ...facts, contentType: 'video/mp4', digest: fileDigest(bytes, chunkSize) };
    if (bytes.length <= chunkSize) return { ...known, etag: (await storage.write(id, bytes)).etag };
    const uploadId = await storage.begin(id);
    const parts = [];
    for (let at = 0; at < bytes.length; at += chunkSize) {
      const part = bytes.subarray(at, at + chunkSize);
      const source = { size: part.length, open: () => Readable.from([part]) };
      parts.push(await storage.putPart({ key: id, uploadId, partNumber: at / chunkSize + 1, ...source }, never));
    }
    return { ...known, etag: (await storage.complete(id, uploadId, parts)).etag };
  }

  function provider(user: RgwUser, bucket: string): CloudProvider {
    const fields = { client_id: user.accessKeyId, client_secret: user.secretAccessKey, destination: bucket };
    const config = s3Config('minio_s3', { ...fields, endpoint: proxy.url, region: 'default', force_s3_path_style: 'true' });
    const plain = createS3Provider(config, { mayConnect: () => true, now: () => new Date() });
    open.push(plain);
    return withRetry(plain);
  }

  const request = (theirs: CloudProvider, change: Partial<DeliveryRequest> = {}): DeliveryRequest => ({
    givenFolder: null,
    provider: theirs,
    storage,
    journal: createInMemoryJournal(newDeliveryState(files)),
    folder: 'Dailies',
    manifest: null,
    memory: createPartMemory({ reserved: 6 * MiB, shared: 18 * MiB }).open(),
    limits,
    signal: never,
    onProgress: () => {},
    ...change,
  });

  async function expectDelivered(theirs: CloudProvider, folder: string): Promise<void> {
    for (const [path, bytes] of contents) {
      const read = await buffer(await theirs.openRange({ id: `${folder}/${path}` }, never));
      expect(read.equals(bytes), path).toBe(true);
    }
  }

  /** Runs it with every call counted. */
  function counted(theirs: CloudProvider) {
    const calls = { copyPart: 0, putPart: 0 };
    const provider = aroundCalls(theirs, async ({ name, run }) => {
      if (name === 'copyPart' || name === 'putPart') calls[name]++;
      return await run();
    });
    return { calls, provider };
  }

  test('credentials that see both have every file copied there: no body of a part passes', async () => {
    const { name } = await rgw.newBucket(service);
    const theirs = provider(service, name);
    const { calls, provider: watched } = counted(theirs);
    const before = proxy.bytes();
    const { folder } = await deliver(request(watched));
    // Heads and XML, but no contents.
    expect(proxy.bytes() - before).toBeLessThan(100_000);
    expect(calls).toEqual({ copyPart: 5 + contents.size - 2, putPart: 1 });
    await expectDelivered(theirs, folder);
  });

  test('credentials that do not see ours are refused once, and get the bytes', async () => {
    const user = await rgw.newUser();
    const { name } = await rgw.newBucket(user);
    const theirs = provider(user, name);
    const { calls, provider: watched } = counted(theirs);
    const before = proxy.bytes();
    const { folder } = await deliver(request(watched));
    expect(calls.copyPart).toBe(1);
    expect(proxy.bytes() - before).toBeGreaterThan(2 * allBytes);
    await expectDelivered(theirs, folder);
  });

  test('credentials to which a policy opens ours have copied what the server allows, and get the other bytes', async () => {
    const user = await rgw.newUser();
    const { name } = await rgw.newBucket(user);
    const credentials = { accessKeyId: service.accessKeyId, secretAccessKey: service.secretAccessKey };
    const client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    const statement = { Effect: 'Allow', Principal: { AWS: [`arn:aws:iam:::user/${user.id}`] }, Action: ['s3:GetObject'] };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, Resource: `arn:aws:s3:::${ourBucket}/files/*` }] });
    await client.send(new PutBucketPolicyCommand({ Bucket: ourBucket, Policy }));
    client.destroy();
    const theirs = provider(user, name);
    const { calls, provider: watched } = counted(theirs);
    const { folder } = await deliver(request(watched));
    // Ceph lets a policy open objects to be copied, but not parts of them: the large file goes by bytes.
    expect(calls.copyPart).toBeGreaterThanOrEqual(20);
    expect(calls.putPart).toBeGreaterThan(1);
    await expectDelivered(theirs, folder);
  });

  test('cut off again and again, no confirmed part is copied again', async () => {
    const { name, stored } = await rgw.newBucket(service);
    const journal = createInMemoryJournal(newDeliveryState(files));
    const confirmed = new Set<string>();
    const twice: string[] = [];
    let folder = '';
    for (const most of [1, 4, 9, Number.POSITIVE_INFINITY]) {
      const stop = new AbortController();
      const inner = provider(service, name);
      let copies = 0;
      const watched: CloudProvider = {
        ...inner,
        async copyPart(part, signal) {
          const what = `${part.source.key} ${part.number}`;
          if (confirmed.has(what)) twice.push(what);
          const answer = await inner.copyPart!(part, signal);
          confirmed.add(what);
          if (++copies === most) stop.abort(new Error('cut'));
          return answer;
        },
      };
      const ended = deliver(request(watched, { journal, signal: stop.signal }));
      if (most === Number.POSITIVE_INFINITY) ({ folder } = await ended);
      else await expect(ended).rejects.toThrow('cut');
    }
    expect(twice).toEqual([]);
    await expectDelivered(provider(service, name), folder);
    expect((await stored()).length).toBe(contents.size);
  });

  test('a copy has its own type and time, and another object under the source is not taken', async () => {
    const { name } = await rgw.newBucket(service);
    const theirs = provider(service, name);
    const [large, small] = ['large.mov', 'day 0/0.bin'].map((path) => files.find((file) => file.path === path)!);
    for (const file of [large!, small!]) {
      const source = { ...storage.locate!(file.id), etag: file.etag || (await storage.head(file.id))!.etag };
      const stale = { ...source, etag: source.etag.replace(/^./, (first) => (first === '0' ? '1' : '0')) };
      const begin = (copyOf: typeof source) =>
        theirs.begin(
          {
            path: `${file.path} of ${copyOf.etag}`,
            size: file.size,
            modified: file.modified!,
            contentType: file.contentType,
            partSize: chunkSize,
            digests: {},
            copyOf,
            save: async () => {},
          },
          never,
        );
      const other = await begin(stale);
      const copy = async () => {
        const parts = [];
        for (const range of partRanges(other.layout))
          parts.push(await theirs.copyPart!({ handle: other.handle, ...range, source: stale }, never));
        return await theirs.complete({ handle: other.handle, parts, digests: {} }, never);
      };
      // Ceph does not heed `x-amz-copy-source-if-match`: what it has copied is compared.
      await expect(copy()).rejects.toMatchObject({ code: 'copy_differs' });
      const first = { number: 1, offset: 0, size: Math.min(file.size, chunkSize) };
      await expect(theirs.copyPart!({ handle: other.handle, ...first, source }, never)).rejects.toMatchObject({ code: 'copy_differs' });
      await theirs.abort({ handle: other.handle }, never);
    }
    const { handle } = await theirs.begin(
      {
        path: 'typed.bin',
        size: small!.size,
        modified: small!.modified!,
        contentType: 'video/mp4',
        digests: {},
        copyOf: { ...storage.locate!(small!.id), etag: small!.etag },
        save: async () => {},
      },
      never,
    );
    const source = { ...storage.locate!(small!.id), etag: small!.etag };
    const part = await theirs.copyPart!({ handle, number: 1, offset: 0, size: small!.size, source }, never);
    await theirs.complete({ handle, parts: [part], digests: {} }, never);
    // Whoever goes on finds its own object.
    expect(await theirs.resume({ handle }, never)).toMatchObject({ state: 'complete', object: { id: 'typed.bin', size: small!.size } });
  });

  test('a service over it has a package copied', async () => {
    const { host } = new URL(proxy.url);
    const credentials = `${service.accessKeyId}:${encodeURIComponent(service.secretAccessKey)}`;
    const [ours, theirs] = [await rgw.newBucket(service), await rgw.newBucket(service)];
    const at = await startTestService({
      storageUrl: `s3://${credentials}@${host}/${ours.name}?tls=false&path_style=true`,
      allowPrivateConnections: true,
    });
    try {
      const bytes = randomBytes(6 * MiB);
      const sender = await sentPackage(at, { 'a.mov': bytes }, { name: 'Rushes' });
      const fields = { client_id: service.accessKeyId, client_secret: service.secretAccessKey, force_s3_path_style: 'true' };
      const authorization = { ...fields, destination: theirs.name, endpoint: proxy.url };
      const connection = await putConnection(at, { provider: 'minio_s3' }, authorization);
      const before = proxy.bytes();
      await transferBecomes(at, (await askTransfer(at, sender, { cloud_connection_id: connection })).body, 'complete');
      expect(proxy.bytes() - before).toBeLessThan(100_000);
      const Key = 'Longshore/Rushes/a.mov';
      const client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: service });
      const { ContentType } = await client.send(new HeadObjectCommand({ Bucket: theirs.name, Key }));
      client.destroy();
      expect(ContentType).toBe('video/quicktime');
      const read = await buffer(await provider(service, theirs.name).openRange({ id: Key }, never));
      expect(read.equals(bytes)).toBe(true);
    } finally {
      await at.close();
    }
  });

  test('into our own bucket nothing is copied', async () => {
    expect(provider(service, ourBucket).reaches!({ ...storage.locate!(files[0]!.id), etag: '' })).toBe(false);
  });
});
