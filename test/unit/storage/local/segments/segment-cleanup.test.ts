import { randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StorageError } from '#storage/errors.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { failureOf, put, send } from '#test/support/storage/conformance.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { beginWhole, completed, filesBelow, sendTogether, sendWhole } from '#test/support/storage/packed.ts';

let running: TestStorage;
beforeEach(async () => {
  running = await startTestStorage();
});
afterEach(() => running.close());

const inTheFuture = new Date(Date.now() + 3_600_000);
const longAgo = new Date(0);
const read = async (key: string): Promise<Buffer> => Buffer.concat(await (await running.storage.read(key)).toArray());

async function stored(contents: readonly Buffer[]): Promise<string[]> {
  return (await completed(running.storage, await sendWhole(running.storage, contents))).map(({ key }) => key!);
}

test('what was received and never completed is freed once it is old, and can be sent again', async () => {
  const { storage, root } = running;
  const contents = [Buffer.from('one'), Buffer.from('two')];
  const [sent, [alone], completedKeys] = [
    await sendWhole(storage, contents),
    await beginWhole(storage, [5]),
    await stored([Buffer.from('kept')]),
  ];
  await send(alone!.put, Buffer.from('alone'));
  const large = await storage.begin('large');
  await put(storage, 'large', large, 1, randomBytes(10));
  await storage.endUploads!(longAgo);
  expect((await filesBelow(root, 'segments/open')).length + (await filesBelow(root, 'uploads')).length).toBe(3);
  await storage.endUploads!(inTheFuture);
  expect(await filesBelow(root, 'segments/open')).toEqual([]);
  expect(await storage.listParts(alone!.key, alone!.uploadId)).toEqual([]);
  expect(await storage.listParts(sent[0]!.key, sent[0]!.uploadId)).toEqual([]);
  expect((await storage.completeAll!(sent)).every((result) => result instanceof StorageError)).toBe(true);
  expect(await storage.listParts('large', large)).toHaveLength(1);
  expect((await read(completedKeys[0]!)).toString()).toBe('kept');
  await sendTogether(storage, sent, contents);
  expect(await completed(storage, sent)).toHaveLength(2);
});

test('what comes after its file was deleted is no object, and is freed once it is old', async () => {
  const { storage, root } = running;
  const [together, alone] = await beginWhole(storage, [4, 4]);
  for (const { key } of [together!, alone!]) {
    await storage.abort(key);
    await storage.delete(key);
  }
  await sendTogether(storage, [together!], [Buffer.from('late')]);
  await send(alone!.put, Buffer.from('late'));
  for (const { key } of [together!, alone!]) expect(await storage.head(key)).toBeNull();
  await storage.endUploads!(inTheFuture);
  expect([...(await filesBelow(root, 'segments')), ...(await filesBelow(root, 'uploads'))]).toEqual([]);
});

test('segments with completed objects are listed by id, in pieces, unless they are new', async () => {
  const { storage, root } = running;
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(parsePackedKey((await stored([Buffer.from('x')]))[0]!)!.segment);
  await sendWhole(storage, [Buffer.from('open')]);
  ids.sort();
  expect(await storage.listSegments!(inTheFuture, '')).toEqual(ids);
  expect(await storage.listSegments!(inTheFuture, ids[2]!)).toEqual(ids.slice(3));
  expect(await storage.listSegments!(inTheFuture, ids[4]!)).toEqual([]);
  expect(await storage.listSegments!(longAgo, '')).toEqual([]);
  // A segment that was received long ago and completed just now may not be in the rows yet.
  for (const path of await filesBelow(root, 'segments/stored')) await utimes(path, longAgo, longAgo);
  expect(await storage.listSegments!(new Date(Date.now() - 3_600_000), '')).toEqual([]);
});

test('objects are packed into a new segment under new keys, and the old ones can go', async () => {
  const { storage } = running;
  const contents = Array.from({ length: 6 }, (_, index) => randomBytes(1 + index * 1_000));
  const keys = [...(await stored(contents.slice(0, 4))), ...(await stored(contents.slice(4)))];
  const packed = await storage.pack!([keys[5]!, keys[1]!, keys[0]!]);
  for (const segment of new Set(keys.map((key) => parsePackedKey(key)!.segment))) await storage.deleteSegment!(segment);
  expect(new Set(packed.map((key) => parsePackedKey(key)!.segment)).size).toBe(1);
  for (const [at, index] of [5, 1, 0].entries()) expect((await read(packed[at]!)).equals(contents[index]!)).toBe(true);
  expect(await failureOf(storage.pack!([packed[0]!, keys[2]!]))).toBe('no_such_object');
  expect(await failureOf(storage.pack!(['no-packed-key']))).toBe('no_such_object');
  expect(await storage.pack!([])).toEqual([]);
});
