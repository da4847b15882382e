import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blueprintIn, uploadIdsIn } from '#client/batch-records.ts';
import { batchGetAddress, batchGetBody } from '#protocol/storage/batch-get.ts';
import { acceptedBatchPut } from '#protocol/storage/batch-put.ts';
import { mostOfBatch } from '#storage/batch-address.ts';
import { StorageError } from '#storage/errors.ts';
import { withPacking } from '#storage/packed/packed-storage.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import type { StoredObject } from '#storage/ports.ts';
import { createS3Storage, type S3Storage } from '#storage/s3/s3-storage.ts';
import { parseS3Url } from '#storage/s3/settings.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { firstOf } from '#test/support/level.ts';
import { etagFor } from '#test/support/service/sender.ts';
import { failureOf } from '#test/support/storage/conformance.ts';
import { startForwarding } from '#test/support/storage/forwarding.ts';
import { beginWhole, completed, inAnHour, sendByBatch, sendTogether, sendWhole } from '#test/support/storage/packed.ts';
import { gatewaySecret, type PackingBench, startPacking } from '#test/support/storage/packing-bench.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';

/** Small files packed in a real S3: what each way to them gives, and what is left after a fault at any place. */

const cleanups: (() => Promise<unknown>)[] = [];
let bucket: Bucket;
let base: S3Storage;
let running: PackingBench;

type Bucket = Pick<SwiftBucket, 'url' | 'endpoint' | 'stored'>;

async function newRgwBucket(): Promise<Bucket> {
  const rgw = await borrowRgw();
  cleanups.push(() => rgw.close());
  const user = await rgw.newUser();
  const { name, stored } = await rgw.newBucket(user);
  const { endpoint } = rgw;
  const url = `s3://${user.accessKeyId}:${user.secretAccessKey}@${new URL(endpoint).host}/${name}?path_style=true&tls=false&prefix=longshore`;
  return { url, endpoint, stored };
}

const servers = [
  { server: 'OpenStack Swift', newBucket: newSwiftBucket, isHere: hasSwift() },
  // The same again, so only now and then.
  { server: 'RADOS Gateway', newBucket: newRgwBucket, isHere: soaking && hasRgw() },
];

const openAt = (url: string): S3Storage => {
  const storage = createS3Storage(parseS3Url(url));
  cleanups.push(() => storage.close());
  return storage;
};

async function packing(over: S3Storage): Promise<PackingBench> {
  const bench = await startPacking(over);
  cleanups.push(() => bench.close());
  return bench;
}

describe.each(firstOf(servers))('small files that are packed in $server', ({ newBucket, isHere }) => {
  const test = it.skipIf(!isHere);
  beforeEach(async () => {
    bucket = await newBucket();
    base = openAt(bucket.url);
    running = await packing(base);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const read = async (key: string): Promise<Buffer> => Buffer.concat(await (await running.storage.read(key)).toArray());
  const stored = async (contents: readonly Buffer[]): Promise<string[]> =>
    (await completed(running.storage, await sendWhole(running.storage, contents))).map(({ key }) => key!);
  const address = async (key: string): Promise<string> =>
    (await running.storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'Straße 1.txt' })).url;

  async function fetchTogether(addresses: readonly string[]) {
    const answer = await fetch(batchGetAddress(running.storage.batchGetUrl!, addresses), { method: 'POST', body: batchGetBody(addresses) });
    const body = Buffer.from(await answer.arrayBuffer());
    const end = body.indexOf('\n');
    return { head: JSON.parse(body.toString('utf8', 0, end)) as { length?: number; code?: string }[], bytes: body.subarray(end + 1) };
  }

  test('are objects as any, by ranges and conditions', async () => {
    const bytes = randomBytes(5_000);
    const [, key] = await stored([randomBytes(7), bytes, Buffer.alloc(0)]);
    expect(await bucket.stored()).toHaveLength(1);
    const url = await address(key!);
    const { etag } = (await running.storage.head(key!))!;
    const whole = await fetch(url, { headers: { origin: 'https://portal.example' } });
    expect([whole.status, whole.headers.get('etag'), whole.headers.get('access-control-allow-origin')]).toEqual([200, `"${etag}"`, '*']);
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''Stra%C3%9Fe%201.txt");
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5000']);
    const part = await fetch(url, { headers: { Range: 'bytes=10-19', 'If-Range': `"${etag}"` } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/5000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    expect((await fetch(url, { headers: { Range: 'bytes=5000-' } })).status).toBe(416);
    expect((await fetch(url, { headers: { 'If-Match': '"other"' } })).status).toBe(412);
    expect((await fetch(url.replace('.5000', '.4999'))).status).toBe(403);
    expect((await fetch(`${url}0`)).status).toBe(403);
    expect((await fetch(url.split('?')[0]!, { method: 'DELETE' })).status).toBe(405);
  });

  test('come together by one request to the S3, others of the request refused on their own', async () => {
    const requests = await startForwarding(bucket.endpoint);
    cleanups.push(requests.close);
    const url = new URL(bucket.url);
    url.host = new URL(requests.url).host;
    running = await packing(openAt(url.href));
    const contents = Array.from({ length: 40 }, (_, index) => randomBytes(100 + index));
    const keys = await stored(contents);
    await base.write('whole', Buffer.from('whole'));
    const old = (await base.presignRead('whole', { expiresAt: inAnHour(), fileName: 'a' })).url;
    const addresses = await Promise.all(keys.map(address));
    requests.requests.length = 0;
    const { head, bytes } = await fetchTogether([...addresses.toReversed(), old]);
    expect(bytes.equals(Buffer.concat(contents.toReversed()))).toBe(true);
    expect(head.at(-1)).toMatchObject({ code: 'SignatureDoesNotMatch' });
    expect(requests.requests).toHaveLength(1);
  });

  test('are found by another process, which has received none of them', async () => {
    const contents = [Buffer.from('one'), Buffer.from('two'), Buffer.alloc(0)];
    const sent = await sendWhole(running.storage, contents);
    const other = await packing(openAt(bucket.url));
    expect(await other.storage.listParts(sent[0]!.key, sent[0]!.uploadId)).toEqual(sent[0]!.parts);
    const again = await packing(openAt(bucket.url));
    const objects = await completed(again.storage, sent);
    expect(await completed(running.storage, sent)).toEqual(objects);
    // The same bytes, sent once more to whoever: they are there.
    const elsewhere = sent.map((one) => ({ ...one, put: { ...one.put, url: one.put.url.replace(running.url, other.url) } }));
    expect(await sendTogether(other.storage, elsewhere, contents)).toEqual(sent.map(({ parts }) => parts[0].etag));
    expect(await bucket.stored()).toHaveLength(1);
    for (const [index, { key }] of objects.entries()) expect((await read(key!)).equals(contents[index]!)).toBe(true);
  });

  test.each([0, 1, 150, 1_000])('a connection to the S3 that is cut after %i bytes leaves nothing, and all is sent again', async (cut) => {
    let cuts = 1;
    const between = await startForwarding(bucket.endpoint, ({ method }) => (method === 'PUT' && cuts-- > 0 ? cut : null));
    cleanups.push(between.close);
    const url = new URL(bucket.url);
    url.host = new URL(between.url).host;
    const bench = await packing(openAt(url.href));
    const contents = [randomBytes(600), randomBytes(700)];
    const begun = await beginWhole(
      bench.storage,
      contents.map(({ length }) => length),
    );
    expect(await sendTogether(bench.storage, begun, contents)).toEqual(['ServiceUnavailable', 'ServiceUnavailable']);
    expect(await bucket.stored()).toEqual([]);
    expect(await bench.storage.listParts(begun[0]!.key, begun[0]!.uploadId)).toEqual([]);
    const etags = await sendTogether(bench.storage, begun, contents);
    const uploads = begun.map((one, at) => ({ ...one, parts: [{ partNumber: 1, etag: etags[at]!, size: contents[at]!.length }] as const }));
    const objects = await completed(bench.storage, uploads);
    for (const [at, { key }] of objects.entries()) expect((await read(key!)).equals(contents[at]!)).toBe(true);
  });

  test('by one address for a batch go once, and each is an object only by its own bytes', async () => {
    const batch = await running.storage.presignBatch!('of-a-package', inAnHour());
    const contents = [randomBytes(70), Buffer.alloc(0), randomBytes(5_000)];
    const ids = uploadIdsIn(batch, 5, randomBytes(16).toString('hex'));
    const etags = contents.map(etagFor);
    expect(await sendByBatch(running.storage, batch, ids, contents)).toEqual(etags);
    expect(await bucket.stored()).toHaveLength(1);
    // The same again is answered, other bytes are refused: nothing is ever replaced. Nor is anything sent twice in one request.
    expect(await sendByBatch(running.storage, batch, ids, [contents[0]!, randomBytes(1)])).toEqual([etags[0], 'UploadExists']);
    const twice = [ids[3]!, ids[3]!];
    expect(await sendByBatch(running.storage, batch, twice, [Buffer.from('a'), Buffer.from('b')])).toEqual([
      etagFor(Buffer.from('a')),
      'UploadExists',
    ]);
    expect(await sendByBatch(running.storage, batch, [ids[4]!], [randomBytes(batch.max_size + 1)])).toEqual(['EntityTooLarge']);
    // It permits no request for a part alone.
    expect((await fetch(blueprintIn(batch, ids[4]!).url, { method: 'PUT', body: 'alone' })).status).toBe(403);
    expect(await bucket.stored()).toHaveLength(2);

    const completing = (index: number, bytes: Buffer, key = 'of-a-package') => ({
      key,
      uploadId: ids[index]!,
      parts: [{ partNumber: 1, etag: etagFor(bytes), size: bytes.length }],
    });
    const uploads = [
      completing(0, contents[0]!),
      completing(1, randomBytes(1)),
      completing(2, contents[2]!, 'of-another'),
      completing(4, contents[0]!),
    ];
    // Whoever is asked, also a process that has received none of them.
    for (const { storage } of [running, await packing(openAt(bucket.url))]) {
      const done = await storage.completeAll!(uploads);
      expect(done.map((one) => (one instanceof StorageError ? one.code : one.size))).toEqual([70, ...Array(3).fill('part_missing')]);
      expect((await read((done[0] as StoredObject).key!)).equals(contents[0]!)).toBe(true);
    }
  });

  test('by one address are as many as a batch has, and a few of it again', async () => {
    const batch = await running.storage.presignBatch!('too-many', inAnHour());
    const ids = uploadIdsIn(batch, mostOfBatch + 1, randomBytes(16).toString('hex'));
    const contents = ids.map((id) => Buffer.from(id));
    const most = acceptedBatchPut.parts;
    for (let at = 0; at < mostOfBatch; at += most) {
      const sent = contents.slice(at, Math.min(at + most, mostOfBatch));
      expect(await sendByBatch(running.storage, batch, ids.slice(at, at + most), sent)).toEqual(sent.map(etagFor));
    }
    // What is there already is answered all the same.
    const last = await sendByBatch(running.storage, batch, ids.slice(-2), contents.slice(-2));
    expect(last).toEqual([etagFor(contents.at(-2)!), 'TooManyParts']);
  });

  test('of a batch that come once more, to another process, cost one look at the S3', async () => {
    const batch = await running.storage.presignBatch!('of-a-package', inAnHour());
    const contents = Array.from({ length: 30 }, (_, index) => randomBytes(100 + index));
    const ids = uploadIdsIn(batch, contents.length, randomBytes(16).toString('hex'));
    const etags = await sendByBatch(running.storage, batch, ids, contents);
    const requests = await startForwarding(bucket.endpoint);
    cleanups.push(requests.close);
    const url = new URL(bucket.url);
    url.host = new URL(requests.url).host;
    const other = await packing(openAt(url.href));
    const elsewhere = { ...batch, url: batch.url.replace(running.url, other.url) };
    expect(await sendByBatch(other.storage, elsewhere, ids, contents)).toEqual(etags);
    // A list of the group, the segment's size and its end, and whether it is still there.
    expect(requests.requests).toHaveLength(4);
    expect(await bucket.stored()).toHaveLength(1);
  });

  test('that nobody completes are listed for the sweep; a part that was swept is sent again', async () => {
    const contents = [Buffer.from('left'), Buffer.from('behind')];
    const sent = await sendWhole(running.storage, contents);
    const later = new Date(Date.now() + 60_000);
    const [segment, ...others] = await running.storage.listSegments!(later, '');
    expect([others, await running.storage.listSegments!(later, segment!)]).toEqual([[], []]);
    expect(await running.storage.listSegments!(new Date(Date.now() - 60_000), '')).toEqual([]);
    await running.storage.deleteSegment!(segment!);
    await running.storage.deleteSegment!(segment!);
    expect(await bucket.stored()).toEqual([]);
    expect((await running.storage.completeAll!(sent)).map((one) => one instanceof StorageError && one.code)).toEqual([
      'part_missing',
      'part_missing',
    ]);
    await sendTogether(running.storage, sent, contents);
    expect(await completed(running.storage, sent)).toHaveLength(2);
  });

  test('stay readable once nothing is packed any more, and what is sent then goes to the S3 itself', async () => {
    const [key] = await stored([Buffer.from('packed')]);
    const { storage } = withPacking(base, { secret: gatewaySecret, url: running.url }, false);
    expect([storage.batchPutUrl, storage.batchGetUrl]).toEqual([undefined, undefined]);
    expect(await storage.head(key!)).toMatchObject({ size: 6 });
    const { url } = await storage.presignRead(key!, { expiresAt: inAnHour(), fileName: 'a' });
    expect(await (await fetch(url)).text()).toBe('packed');
    const [sent] = await beginWhole(storage, [3]);
    expect(new URL(sent!.put.url).origin).toBe(bucket.endpoint);
  });

  test('are written anew where much of a segment is free', async () => {
    const contents = [randomBytes(10), randomBytes(3_000), Buffer.alloc(0), randomBytes(20)];
    const keys = await stored(contents);
    const [packed, empty] = await running.storage.pack!([keys[1]!, keys[2]!]);
    await running.storage.deleteSegment!(parsePackedKey(keys[0]!)!.segment);
    expect((await read(packed!)).equals(contents[1]!)).toBe(true);
    expect(await read(empty!)).toHaveLength(0);
    expect(await failureOf(running.storage.read(keys[0]!))).toBe('no_such_object');
    expect(await running.storage.head(keys[3]!)).toBeNull();
    expect(await failureOf(running.storage.pack!([keys[3]!]))).toBe('no_such_object');
  });

  test('are never other bytes: one that was damaged is refused, those beside it are not', async () => {
    const contents = [randomBytes(100), randomBytes(100), randomBytes(100)];
    const keys = await stored(contents);
    const name = `segments/${parsePackedKey(keys[0]!)!.segment}`;
    const bytes = Buffer.concat(await (await base.read(name)).toArray());
    bytes[150]! ^= 1;
    await base.write(name, bytes);
    const { head, bytes: got } = await fetchTogether(await Promise.all(keys.map(address)));
    expect(head).toMatchObject([{ length: 100 }, { code: 'ObjectDamaged' }, { length: 100 }]);
    expect(got.equals(Buffer.concat([contents[0]!, contents[2]!]))).toBe(true);
    expect(await failureOf(read(keys[1]!))).toBe('object_damaged');
    // A segment that is cut off is none at all.
    await base.write(name, bytes.subarray(0, -1));
    const fresh = await packing(base);
    expect(await failureOf(fresh.storage.read(keys[0]!))).toBe('object_damaged');
  });
});
