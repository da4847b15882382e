import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { StorageError } from '#storage/errors.ts';
import { newPackedUploadId, newUploadGroup } from '#storage/keys.ts';
import { openLocalObjects } from '#storage/local/open-objects.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { segmentBytes } from '#storage/segments/format.ts';
import { failureOf, send } from '#test/support/storage/conformance.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { beginWhole, completed, filesBelow, sendTogether, sendWhole } from '#test/support/storage/packed.ts';

let running: TestStorage;
beforeEach(async () => {
  running = await startTestStorage();
});
afterEach(() => running.close());

const contentsOf = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
const read = async (key: string): Promise<Buffer> => Buffer.concat(await (await running.storage.read(key)).toArray());
const open = () => filesBelow(running.root, 'segments/open');
const stored = () => filesBelow(running.root, 'segments/stored');
const folders = async (): Promise<string[]> =>
  (await readdir(join(running.root, 'uploads'), { recursive: true })).filter((name) => name.includes('@'));

test('small files of one request are one file on the disk, and each has a key of its own', async () => {
  const { storage } = running;
  const contents = [randomBytes(10_240), Buffer.alloc(0), randomBytes(smallFileSize), Buffer.from('x')];
  const sent = await sendWhole(storage, contents);
  expect([await open(), await folders()]).toEqual([[expect.any(String)], []]);
  const objects = await completed(storage, sent);
  expect([await open(), await stored()]).toEqual([[], [expect.any(String)]]);
  expect(new Set(objects.map(({ key }) => parsePackedKey(key!)!.segment)).size).toBe(1);
  for (const [index, { key, ...object }] of objects.entries()) {
    expect((await read(key!)).equals(contents[index]!)).toBe(true);
    expect(await storage.head(key!)).toEqual(object);
    expect(await storage.head(sent[index]!.key)).toBeNull();
  }
  expect(await completed(storage, sent)).toEqual(objects);
});

test('files that are larger stay files of their own', async () => {
  const sent = await sendWhole(running.storage, [randomBytes(smallFileSize + 1), Buffer.from('small')]);
  const [large, small] = await completed(running.storage, sent);
  expect([large!.key, small!.key === undefined]).toEqual([undefined, false]);
  expect((await read(sent[0]!.key)).length).toBe(smallFileSize + 1);
});

test('a request of more than a segment holds becomes several', async () => {
  const contents = Array.from({ length: segmentBytes / smallFileSize + 1 }, () => randomBytes(smallFileSize));
  const objects = await completed(running.storage, await sendWhole(running.storage, contents));
  expect(await stored()).toHaveLength(2);
  for (const [index, { key }] of objects.entries()) expect((await read(key!)).equals(contents[index]!)).toBe(true);
});

test('a part sent again is answered, and stored once, however often and by whomever', async () => {
  const { storage } = running;
  const contents = contentsOf('one', 'two');
  const sent = await sendWhole(storage, contents);
  const before = await open();
  for (let time = 0; time < 5; time += 1) {
    expect(await sendTogether(storage, sent, contents)).toEqual(sent.map(({ parts }) => parts[0].etag));
    expect(await sendTogether(storage, [sent[0]!, sent[0]!], [contents[0]!, contents[0]!])).toEqual([
      sent[0]!.parts[0].etag,
      sent[0]!.parts[0].etag,
    ]);
  }
  expect(await open()).toEqual(before);
  await completed(storage, sent);
  await sendTogether(storage, sent, contents);
  expect([await open(), await stored(), await folders()]).toEqual([[], [expect.any(String)], []]);
});

test('the same part of many requests at once is stored at most once in a segment and once in a folder', async () => {
  const { storage } = running;
  const [begun] = await beginWhole(storage, [4]);
  await Promise.all(Array.from({ length: 8 }, (_, index) => sendTogether(storage, [begun!], contentsOf(`at ${index}`))));
  const stored = [...(await open()), ...(await filesBelow(running.root, 'uploads'))];
  expect(stored.length).toBeLessThanOrEqual(2);
});

test('other bytes take the place of the first, and of these the first may again', async () => {
  const { storage } = running;
  const [sent] = await sendWhole(storage, contentsOf('first'));
  const listed = async () => (await storage.listParts(sent!.key, sent!.uploadId)).map(({ etag }) => etag);
  expect(await listed()).toEqual([sent!.parts[0].etag]);
  for (const text of ['other', 'third', 'first', 'other']) {
    const [etag] = await sendTogether(storage, [sent!], contentsOf(text));
    expect(await listed()).toEqual([etag]);
  }
  expect(await filesBelow(running.root, 'uploads')).toHaveLength(1);
  const last = { ...sent!, parts: [...(await storage.listParts(sent!.key, sent!.uploadId))] };
  await storage.complete(last.key, last.uploadId, last.parts);
  expect((await read(sent!.key)).toString()).toBe('other');
});

test('a part that comes by itself has its folder from then on', async () => {
  const { storage } = running;
  const [begun] = await beginWhole(storage, [5]);
  expect([await folders(), await storage.listParts(begun!.key, begun!.uploadId)]).toEqual([[], []]);
  expect((await send(begun!.put, Buffer.from('alone'))).status).toBe(200);
  const parts = await storage.listParts(begun!.key, begun!.uploadId);
  expect(await storage.complete(begun!.key, begun!.uploadId, parts)).toMatchObject({ size: 5 });
  expect((await read(begun!.key)).toString()).toBe('alone');
  expect(await folders()).toEqual([]);
  expect(await failureOf(storage.listParts(begun!.key, begun!.uploadId))).toBe('no_such_upload');
  expect(await storage.complete(begun!.key, begun!.uploadId, parts)).toMatchObject({ size: 5 });
});

test('one of a segment may be completed by itself, and the others later by another process', async () => {
  const sent = await sendWhole(running.storage, contentsOf('one', 'two', 'three'));
  const one = await running.storage.complete(sent[0]!.key, sent[0]!.uploadId, sent[0]!.parts);
  const other = openLocalObjects({ root: running.root, secret: Buffer.alloc(32, 7), publicUrl: running.url });
  const objects = await completed(other, sent);
  expect(objects[0]).toEqual(one);
  for (const [index, text] of ['one', 'two', 'three'].entries()) expect((await read(objects[index]!.key!)).toString()).toBe(text);
});

test('what is named must be what was sent, of that upload', async () => {
  const { storage } = running;
  const [one, two] = await sendWhole(storage, contentsOf('one', 'two'));
  const results = await storage.completeAll!([
    { ...one!, parts: two!.parts },
    { ...one!, key: two!.key },
    { ...one!, uploadId: two!.uploadId },
    { ...one!, parts: [] },
    { ...one!, parts: [...one!.parts, { ...one!.parts[0], partNumber: 2 }] },
    one!,
  ]);
  expect(results.map((result) => result instanceof StorageError)).toEqual([true, true, true, true, true, false]);
});

test('each address is judged by itself, and a refusal concerns its own part', async () => {
  const begun = await beginWhole(running.storage, [3, 3, 3]);
  const changed = { ...begun[1]!, put: { ...begun[1]!.put, url: begun[1]!.put.url.replace(/.$/, (last) => (last === '0' ? '1' : '0')) } };
  const answers = await sendTogether(running.storage, [begun[0]!, changed, begun[2]!], contentsOf('one', 'two', 'three'));
  expect(answers).toEqual([expect.stringMatching(/^b3-/), 'SignatureDoesNotMatch', 'EntityTooLarge']);
  expect(await running.storage.listParts(begun[0]!.key, begun[0]!.uploadId)).toHaveLength(1);
});

test('on a full disk every part is refused and nothing stays; with room all come', async () => {
  const files = new BreakingFileSystem();
  const full = await startTestStorage({ inProcess: { files } });
  const begun = await beginWhole(full.storage, [3, 3]);
  files.faults.add({ call: 'write', path: join(full.root, 'segments'), effect: { code: 'ENOSPC' } });
  expect(await sendTogether(full.storage, begun, contentsOf('one', 'two'))).toEqual(['InsufficientStorage', 'InsufficientStorage']);
  expect(files.faults.unmet).toEqual([]);
  expect(await filesBelow(full.root, 'segments')).toEqual([]);
  expect(await sendTogether(full.storage, begun, contentsOf('one', 'two'))).toEqual([
    expect.stringMatching(/^b3-/),
    expect.stringMatching(/^b3-/),
  ]);
  await full.close();
});

test('a segment that cannot be flushed is none of the objects’, and its parts are sent again', async () => {
  const files = new BreakingFileSystem();
  const failing = await startTestStorage({ inProcess: { files } });
  const contents = contentsOf('one', 'two');
  const sent = await sendWhole(failing.storage, contents);
  files.faults.add({ call: 'flush', path: join(failing.root, 'segments'), effect: { code: 'EIO' } });
  expect((await failing.storage.completeAll!(sent)).map((result) => result instanceof StorageError)).toEqual([true, true]);
  expect(files.faults.unmet).toEqual([]);
  expect((await failing.storage.completeAll!(sent)).map((result) => result instanceof StorageError)).toEqual([true, true]);
  expect(await failing.storage.listParts(sent[0]!.key, sent[0]!.uploadId)).toEqual([]);
  await sendTogether(failing.storage, sent, contents);
  expect(await completed(failing.storage, sent)).toHaveLength(2);
  await failing.close();
});

test('of many groups that are asked for at once each folder is listed once', async () => {
  const lists: string[] = [];
  const files: FileSystem = Object.assign(Object.create(nodeFileSystem) as FileSystem, {
    list(path: string) {
      lists.push(path);
      return nodeFileSystem.list(path);
    },
  });
  const counted = await startTestStorage({ inProcess: { files } });
  lists.length = 0;
  const uploads = Array.from({ length: 300 }, () => ({
    key: randomUUID(),
    uploadId: newPackedUploadId(`ab${newUploadGroup().slice(2)}`),
    parts: [{ partNumber: 1, etag: `b3-${'0'.repeat(64)}`, size: 1 }],
  }));
  expect((await counted.storage.completeAll!(uploads)).every((one) => one instanceof StorageError)).toBe(true);
  const segments = lists.filter((path) => path.includes('segments'));
  expect(segments.toSorted()).toEqual(['open', 'stored'].map((which) => join(counted.root, 'segments', which, 'ab')));
  await counted.close();
});
