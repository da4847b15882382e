import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchPutLimits, resultsOf } from '#client/batch-put.ts';
import { blueprintIn, uploadIdsIn } from '#client/batch-records.ts';
import type { BatchBlueprint } from '#protocol/schema.ts';
import { acceptedBatchPut, batchPutAddress, batchPutHead } from '#protocol/storage/batch-put.ts';
import { mostOfBatch } from '#storage/batch-address.ts';
import { hexOf } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import { partFile } from '#storage/local/layout.ts';
import type { StoredObject } from '#storage/ports.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';

let running: TestStorage;
beforeAll(async () => {
  running = await startTestStorage();
});
afterAll(() => running.close());

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const etagOf = (bytes: Buffer): string => partFile(1, bytes.length, hexOf(bytes)).etag;

async function begun(key: string, size: number) {
  const [one] = await running.storage.beginWhole!([{ key, size }], inAnHour());
  return one!;
}

async function post(body: Buffer | string, headers: Record<string, string> = {}, address?: string) {
  const { put } = await begun('proof', 1);
  const answer = await fetch(address ?? batchPutAddress(running.storage.batchPutUrl!, [{ blueprint: put, length: 1 }]), {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test('one request stores all parts, each by its own address, also an empty one', async () => {
  const contents = [randomBytes(70_000), Buffer.alloc(0), ...Array.from({ length: 100 }, (_, index) => Buffer.from(`file ${index}`))];
  const uploads = await Promise.all(contents.map((bytes, index) => begun(`many/${index}`, bytes.length)));
  const head = batchPutHead(uploads.map(({ put }, index) => ({ blueprint: put, length: contents[index]!.length })));
  const { status, text, headers } = await post(Buffer.concat([Buffer.from(head), ...contents]), { origin: 'https://files.example.com' });
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(resultsOf(text, contents.length)).toEqual(contents.map(etagOf));
  const done = await running.storage.complete(
    'many/0',
    uploads[0]!.uploadId,
    await running.storage.listParts('many/0', uploads[0]!.uploadId),
  );
  expect(done.size).toBe(70_000);
  const read = await running.storage.read(done.key!);
  expect(Buffer.concat(await read.toArray()).equals(contents[0]!)).toBe(true);
});

test('each address is verified by itself, and a refusal concerns only its own part', async () => {
  const [good, corrupted, short, foreign] = await Promise.all(['a', 'b', 'd', 'e'].map((key) => begun(`judged/${key}`, 5)));
  const [gone] = await running.storage.presignParts(
    'judged/c',
    await running.storage.begin('judged/c'),
    [{ partNumber: 1, size: 5, maxSize: 5 }],
    inAnHour(),
  );
  await running.storage.abort('judged/c');
  const addresses = [
    good!.put.url,
    corrupted!.put.url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    gone!.url,
    short!.put.url,
    foreign!.put.url.replace('judged/e', 'judged/a'),
    `${running.url}/-/healthz`,
  ];
  const lengths = [5, 5, 5, 4, 5, 1];
  const head = batchPutHead(addresses.map((url, index) => ({ blueprint: { ...good!.put, url }, length: lengths[index]! })));
  const { status, text } = await post(head + 'x'.repeat(25));
  expect(status).toBe(200);
  const answers = resultsOf(text, 6).map((answer) => (typeof answer === 'string' ? answer : answer.code));
  expect(answers).toEqual([
    etagOf(Buffer.from('xxxxx')),
    'address_refused',
    'upload_gone',
    'storage_refused',
    'address_refused',
    'address_refused',
  ]);
});

test.each<[string, string, number]>([
  ['no line', 'bytes without a line', 400],
  ['no JSON', 'nothing\n', 400],
  ['no list', '{}\n', 400],
  ['an empty list', '[]\n', 400],
  ['a part without a target', '[{ "length": 1 }]\nx', 400],
  ['a part of another place', '[{ "target": "https://example.com/a", "length": 1 }]\nx', 400],
  ['a negative length', '[{ "target": "/a", "length": -1 }]\n', 400],
  ['a part that is too large', `[{ "target": "/a", "length": ${acceptedBatchPut.partBytes + 1} }]\n`, 400],
  ['too many parts', `${JSON.stringify(Array.from({ length: acceptedBatchPut.parts + 1 }, () => ({ target: '/a', length: 0 })))}\n`, 400],
  ['fewer bytes than named', '[{ "target": "/a", "length": 2 }]\nx', 400],
  ['more bytes than named', '[{ "target": "/a", "length": 1 }]\nxx', 400],
])('a body with %s stores nothing', async (_, body, status) => {
  expect((await post(body)).status).toBe(status);
});

test.each<[string, (address: string) => string]>([
  ['no address', (address) => address.replace(/\?.*/, '')],
  ['an address that is not signed', (address) => address.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['an address that is over', (address) => address.replace(/expires%3D\d+/, 'expires%3D1000000000')],
])('of somebody who shows %s nothing is read', async (_, changed) => {
  const { put } = await begun('shown', 1);
  const address = batchPutAddress(running.storage.batchPutUrl!, [{ blueprint: put, length: 1 }]);
  expect(
    (await post(`${JSON.stringify([{ target: new URL(put.url).pathname + new URL(put.url).search, length: 1 }])}\nx`, {}, changed(address)))
      .status,
  ).toBe(403);
  expect(await running.storage.listParts('shown', (await begun('shown', 1)).uploadId)).toEqual([]);
});

test('a body that is too large is not read', async () => {
  expect((await post(Buffer.alloc(acceptedBatchPut.bodyBytes + 1))).status).toBe(413);
});

test('the limits of senders are within those of the storage', () => {
  const longest = 400;
  expect(batchPutLimits.parts).toBeLessThanOrEqual(acceptedBatchPut.parts);
  expect(batchPutLimits.partBytes).toBeLessThanOrEqual(acceptedBatchPut.partBytes);
  expect(batchPutLimits.parts * longest).toBeLessThanOrEqual(acceptedBatchPut.headBytes);
  expect(batchPutLimits.bytes + acceptedBatchPut.headBytes).toBeLessThanOrEqual(acceptedBatchPut.bodyBytes);
});

test.each(['', '[]', '{}', '{"parts":[]}', '{"parts":[1]}', '{"parts":{}}'])('an invalid answer (%s) is reported', (text) => {
  expect(() => resultsOf(text, 1)).toThrow(/did not say what it has received/);
});

/** Sends parts by one blueprint of a batch. */
async function sendBatch(ids: readonly string[], contents: readonly Buffer[]) {
  const parts = contents.map((bytes, index) => ({ blueprint: blueprintIn(batch, ids[index]!), length: bytes.length }));
  const address = batchPutAddress(running.storage.batchPutUrl!, parts);
  const { text } = await post(Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents]), {}, address);
  return resultsOf(text, contents.length).map((answer) => (typeof answer === 'string' ? answer : answer.code));
}

let batch: BatchBlueprint;
test('by one address for a batch each file goes once, is packed, and is an object only by its own bytes', async () => {
  batch = await running.storage.presignBatch!('of-a-package', inAnHour());
  const contents = [randomBytes(70), Buffer.alloc(0), randomBytes(5_000)];
  const ids = uploadIdsIn(batch, 4, randomBytes(16).toString('hex'));
  expect(await sendBatch(ids, contents)).toEqual(contents.map(etagOf));
  // The same again is answered, other bytes are refused: nothing is ever replaced.
  expect(await sendBatch(ids.slice(0, 2), [contents[0]!, randomBytes(1)])).toEqual([etagOf(contents[0]!), 'storage_refused']);
  expect(await sendBatch([ids[3]!], [randomBytes(batch.max_size + 1)])).toEqual(['storage_refused']);
  // It permits no request for a part alone.
  const alone = blueprintIn(batch, ids[3]!);
  expect((await fetch(alone.url, { method: 'PUT', body: 'alone' })).status).toBe(403);

  const completing = (index: number, bytes: Buffer, key = 'of-a-package') => ({
    key,
    uploadId: ids[index]!,
    parts: [{ partNumber: 1, etag: etagOf(bytes), size: bytes.length }],
  });
  const done = await running.storage.completeAll!([
    completing(0, contents[0]!),
    completing(1, randomBytes(1)),
    completing(2, contents[2]!, 'of-another'),
    completing(3, contents[0]!),
  ]);
  expect(done.map((one) => (one instanceof StorageError ? one.code : one.size))).toEqual([70, ...Array(3).fill('no_such_upload')]);
  const { key } = done[0] as StoredObject;
  expect(Buffer.concat(await (await running.storage.read(key!)).toArray()).equals(contents[0]!)).toBe(true);
});

test('one address takes what a batch has, and a few of it again: more would have all of it read anew for each part', async () => {
  const { upload_prefix: prefix, ...address } = await running.storage.presignBatch!('too-many', inAnHour());
  batch = { upload_prefix: prefix, ...address };
  const ids = Array.from({ length: mostOfBatch + 1 }, (_, n) => prefix + n.toString(16).padStart(32 - prefix.length, '0'));
  const contents = ids.map((id) => Buffer.from(id));
  const most = acceptedBatchPut.parts;
  for (let at = 0; at < mostOfBatch; at += most)
    expect(await sendBatch(ids.slice(at, at + most), contents.slice(at, at + most))).toEqual(contents.slice(at, at + most).map(etagOf));
  expect(await sendBatch(ids.slice(-2), contents.slice(-2))).toEqual([etagOf(contents.at(-2)!), 'storage_refused']);
});

test('requests at once keep their bytes apart, whether or not they find memory that was used before', async () => {
  const requests = Array.from({ length: 9 }, (_, n) => Array.from({ length: 3 }, (_, m) => randomBytes(40_000 + 7 * n + m)));
  const batches = await Promise.all(requests.map(() => running.storage.presignBatch!('apart', inAnHour())));
  for (let round = 0; round < 2; round++) {
    const sent = requests.map(async (contents, n) => {
      const ids = uploadIdsIn(batches[n]!, 6, 'ab'.repeat(16)).slice(3 * round);
      const parts = contents.map((bytes, m) => ({ blueprint: blueprintIn(batches[n]!, ids[m]!), length: bytes.length }));
      const body = Buffer.concat([Buffer.from(batchPutHead(parts)), ...contents]);
      const { text } = await post(body, {}, batchPutAddress(running.storage.batchPutUrl!, parts));
      expect(resultsOf(text, contents.length)).toEqual(contents.map(etagOf));
    });
    await Promise.all(sent);
  }
});
