import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { batchGetAddress, batchGetBody } from '#protocol/storage/batch-get.ts';
import { BufferPool } from '#storage/local/buffer-pool.ts';
import { layoutOf } from '#storage/local/layout.ts';
import { PackedObjects, type PackedReader } from '#storage/local/segments/packed-objects.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { failureOf } from '#test/support/storage/conformance.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { completed, filesBelow, inAnHour, sendWhole } from '#test/support/storage/packed.ts';

let running: TestStorage;
beforeEach(async () => {
  running = await startTestStorage();
});
afterEach(() => running.close());

const read = async (key: string, range?: { start: number; end: number }): Promise<Buffer> =>
  Buffer.concat(await (await running.storage.read(key, range)).toArray());

async function stored(contents: readonly Buffer[]): Promise<string[]> {
  return (await completed(running.storage, await sendWhole(running.storage, contents))).map(({ key }) => key!);
}

const address = async (key: string): Promise<string> =>
  (await running.storage.presignRead(key, { expiresAt: inAnHour(), fileName: 'Straße 1.txt' })).url;

async function fetchTogether(keys: readonly string[]) {
  const addresses = await Promise.all(keys.map(address));
  const answer = await fetch(batchGetAddress(running.storage.batchGetUrl!, addresses), { method: 'POST', body: batchGetBody(addresses) });
  const body = Buffer.from(await answer.arrayBuffer());
  const end = body.indexOf('\n');
  return { head: JSON.parse(body.toString('utf8', 0, end)) as { length?: number; code?: string }[], bytes: body.subarray(end + 1) };
}

test('ranges, heads and conditions are those of any object', async () => {
  const bytes = randomBytes(50_000);
  const [, key] = await stored([randomBytes(7), bytes, randomBytes(9)]);
  const url = await address(key!);
  const { etag } = (await running.storage.head(key!))!;
  const whole = await fetch(url);
  expect([whole.status, whole.headers.get('etag'), whole.headers.get('content-length')]).toEqual([200, `"${etag}"`, '50000']);
  expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''Stra%C3%9Fe%201.txt");
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([200, '50000', 'bytes']);
  for (const [asked, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-49999', 100, 49_999],
    ['bytes=-5', 49_995, 49_999],
    ['bytes=40000-', 40_000, 49_999],
  ] as const) {
    const answer = await fetch(url, { headers: { Range: asked, 'If-Range': `"${etag}"` } });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/50000`]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true);
    expect((await read(key!, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true);
  }
  expect((await fetch(url, { headers: { Range: 'bytes=50000-' } })).status).toBe(416);
  expect((await fetch(url, { headers: { 'If-Match': '"other"' } })).status).toBe(412);
  expect((await fetch(url, { headers: { Range: 'bytes=0-0', 'If-Range': '"other"' } })).status).toBe(200);
  expect(await failureOf(running.storage.read(key!, { start: 50_000, end: 50_001 }))).toBe('range_not_satisfiable');
  const buffers = [Buffer.alloc(10), Buffer.alloc(990)];
  await running.storage.readInto!(key!, buffers, 300);
  expect(Buffer.concat(buffers).equals(bytes.subarray(300, 1_300))).toBe(true);
  expect(await failureOf(running.storage.readInto!(key!, buffers, 49_001))).toBe('range_not_satisfiable');
});

test('many come in one answer, of several segments and in any order, and one that is gone cuts off no other', async () => {
  const contents = Array.from({ length: 20 }, (_, index) => randomBytes(index * 100));
  const keys = [...(await stored(contents.slice(0, 10))), ...(await stored(contents.slice(10)))];
  const gone = (await stored([Buffer.from('gone')]))[0]!;
  await running.storage.deleteSegment!(gone.split('.')[0]!);
  const order = [19, 0, 3, 15, 2, 1];
  const { head, bytes } = await fetchTogether([...order.map((index) => keys[index]!), gone, keys[5]!]);
  expect(head.map(({ length, code }) => length ?? code)).toEqual([...order.map((index) => index * 100), 'NoSuchKey', 500]);
  expect(bytes.equals(Buffer.concat([...order, 5].map((index) => contents[index]!)))).toBe(true);
});

test('those that follow each other in a segment are read many at once, as long as a buffer holds them', async () => {
  const contents = Array.from({ length: 30 }, () => randomBytes(1_000));
  const places = (await stored(contents)).map((key) => parsePackedKey(key)!);
  const disk = new BreakingFileSystem({ clock: { pass() {} } });
  const reads = disk.faults.add({ call: 'read', times: Number.POSITIVE_INFINITY, effect: { milliseconds: 0 } });
  const objects = new PackedObjects(disk, layoutOf(running.root), (work) => work());
  const all = objects.reader(new BufferPool(10_000, 1));
  const readsOf = (reader: PackedReader, order: readonly number[]): number => {
    const before = reads.met;
    for (const index of order) {
      const buffer = Buffer.alloc(1_000);
      reader.readInto(places[index]!, buffer);
      expect(buffer.equals(contents[index]!)).toBe(true);
    }
    reader.close();
    return reads.met - before;
  };
  const inOrder = contents.map((_, index) => index);
  // The first of them reads the index, too, which is remembered.
  readsOf(all, [0]);
  // The first shows nothing yet; then ten at once.
  expect(readsOf(all, inOrder)).toBe(1 + 3);
  expect(readsOf(all, inOrder.toReversed())).toBe(30);
  expect(readsOf(objects.reader(), inOrder)).toBe(30);
});

test('a place that is no object’s is none', async () => {
  const [key] = await stored([randomBytes(100)]);
  const [segment] = key!.split('.');
  for (const other of [`${segment}.0.99`, `${segment}.1.99`, `${segment}.0.101`, `${segment}.0.0`, `${'0'.repeat(32)}.0.100`]) {
    expect(await running.storage.head(other)).toBeNull();
    expect(await failureOf(running.storage.read(other))).toBe('no_such_object');
    expect((await fetch(await address(other))).status).toBe(404);
  }
});

test('deleting an object does nothing; deleting its segment ends all of it', async () => {
  const keys = await stored([Buffer.from('one'), Buffer.from('two')]);
  await running.storage.abort(keys[0]!);
  await running.storage.delete(keys[0]!);
  expect((await read(keys[0]!)).toString()).toBe('one');
  const segment = keys[0]!.split('.')[0]!;
  await running.storage.deleteSegment!(segment);
  await running.storage.deleteSegment!(segment);
  for (const key of keys) {
    expect(await running.storage.head(key)).toBeNull();
    expect((await fetch(await address(key))).status).toBe(404);
  }
  expect(await failureOf(running.storage.deleteSegment!('../../objects'))).toBe('invalid_key');
});

/** What a reader gets of an object: its bytes, or that it failed. Never other bytes. */
async function outcomes(keys: readonly string[], contents: readonly Buffer[]): Promise<('same' | 'failed')[]> {
  return Promise.all(
    keys.map(async (key, index) => {
      const answer = await fetch(await address(key));
      const ended = Buffer.from(await answer.arrayBuffer());
      const code = await failureOf(running.storage.read(key).then((stream) => stream.toArray()));
      if (answer.status === 200) {
        expect(ended.equals(contents[index]!)).toBe(true);
        expect((await read(key)).equals(contents[index]!)).toBe(true);
        return 'same';
      }
      expect([answer.status, code]).toEqual([410, 'object_damaged']);
      return 'failed';
    }),
  );
}

/** Longest first, as a file gets shorter; without a soak those around each end of an object and of the index, and some between. */
function cuts(length: number): number[] {
  const all = Array.from({ length }, (_, index) => length - 1 - index);
  const around = [0, 1, 2, 3, 4, 8, 9, 10, 30, 48, 49, 50, length - 1];
  return soaking ? all : all.filter((size) => around.includes(size) || (size > 50 && size % 17 === 0));
}

test.each(['remembered', 'read anew'])('a segment cut off at any byte is an error or the same bytes, its index %s', async (index) => {
  const contents = [Buffer.from('one'), Buffer.from('second'), randomBytes(40)];
  const keys = await stored(contents);
  const [path] = await filesBelow(running.root, 'segments/stored');
  const whole = await readFile(path!);
  if (index === 'remembered') expect(await outcomes(keys, contents)).toEqual(['same', 'same', 'same']);
  for (const size of cuts(whole.length)) {
    await truncate(path!, size);
    if (index === 'read anew') running = await restarted();
    const found = await outcomes(keys, contents);
    if (index === 'read anew' || size < 49) expect(found.at(-1), `${size} bytes`).toBe('failed');
  }
  await writeFile(path!, whole);
  expect(await outcomes(keys, contents)).toEqual(['same', 'same', 'same']);
});

test('objects that follow each other are read many at once, in whatever order they are asked for', async () => {
  // More than is read at once.
  const contents = Array.from({ length: 40 }, (_, index) => randomBytes(40_000 + index));
  const keys = await stored(contents);
  const orders = { forth: [...keys.keys()], back: [...keys.keys()].reverse(), leaps: [0, 1, 2, 20, 21, 3, 4, 39, 5, 5, 6] };
  for (const [name, order] of Object.entries(orders)) {
    const { head, bytes } = await fetchTogether(order.map((index) => keys[index]!));
    expect(
      head.map(({ length }) => length),
      name,
    ).toEqual(order.map((index) => contents[index]!.length));
    expect(bytes.equals(Buffer.concat(order.map((index) => contents[index]!))), name).toBe(true);
  }
});

test('a changed byte anywhere is an error of those that it belongs to', async () => {
  const contents = [Buffer.from('one'), Buffer.from('second')];
  const keys = await stored(contents);
  const [path] = await filesBelow(running.root, 'segments/stored');
  const whole = await readFile(path!);
  for (const at of [0, 2, 3, 8, 9, 40, whole.length - 1, whole.length - 9, whole.length - 13, whole.length - 30]) {
    const changed = Buffer.from(whole);
    changed[at]! ^= 1;
    await writeFile(path!, changed);
    running = await restarted();
    const expected = at < 3 ? ['failed', 'same'] : at < 9 ? ['same', 'failed'] : ['failed', 'failed'];
    expect(await outcomes(keys, contents), `byte ${at}`).toEqual(expected);
  }
});

/** The same folder with nothing in memory. Its temporary folder goes with the first. */
async function restarted(): Promise<TestStorage> {
  const { root, close } = running;
  const next = await startTestStorage({ root });
  return {
    ...next,
    root,
    async close() {
      await next.close();
      await close();
    },
  };
}
