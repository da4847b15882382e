import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { batchGetAddress, batchGetBody } from '#protocol/storage/batch-get.ts';
import { compares } from '#protocol/storage/requests.ts';
import { comparing } from '#storage/local/compare-while-sending.ts';
import { ComparedParts } from '#storage/local/compared-parts.ts';
import { layoutOf, type PartFile, partFile } from '#storage/local/layout.ts';
import { ReceiverGone } from '#storage/local/receiver-gone.ts';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

/** A flipped byte is never given out as good, where comparing costs nobody anything (docs/decisions/0098). */

let running: TestStorage;
beforeAll(async () => {
  running = await startTestStorage();
});
afterAll(() => running?.close());

const never = new AbortController().signal;
const expiresAt = new Date(Date.now() + 3_600_000);
let keys = 0;

/** An object of parts of these sizes. */
async function stored(sizes: readonly number[]) {
  const { storage, root } = running;
  const key = `0192aaaa-bbbb-7ccc-8ddd-${String(keys++).padStart(12, '0')}`;
  const uploadId = await storage.begin(key);
  const parts = [];
  for (const [index, size] of sizes.entries()) {
    const bytes = randomBytes(size);
    async function* open() {
      yield bytes;
    }
    parts.push(await storage.putPart({ key, uploadId, partNumber: index + 1, size, open }, never));
  }
  await storage.complete(key, uploadId, parts);
  const { url } = await storage.presignRead(key, { expiresAt, fileName: 'a' });
  const whole = Buffer.from(await (await fetch(url, { headers: compares })).arrayBuffer());
  return { key, url, whole, folder: layoutOf(root).object(key) };
}

/** One with a byte flipped in one of its parts. */
async function damaged(sizes: readonly number[], part = sizes.length - 1, at = sizes[part]! - 1) {
  const object = await stored(sizes);
  const { folder } = object;
  const file = join(folder, readdirSync(folder).toSorted()[part]!);
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
  return object;
}

const mebi = 1024 * 1024;

const receiver = (isGone = () => false, address = '203.0.113.1') => ({ isGone, address });

/** The file system, and the bytes that are read by it. */
function countedReads(told: (bytes: number) => void = () => undefined) {
  let bytes = 0;
  const files: FileSystem = Object.assign(Object.create(nodeFileSystem) as FileSystem, {
    async open(...asked: Parameters<FileSystem['open']>) {
      const file = await nodeFileSystem.open(...asked);
      const read: typeof file.read = async (...wanted) => {
        const count = await file.read(...wanted);
        bytes += count;
        told(bytes);
        return count;
      };
      return Object.assign(Object.create(file) as typeof file, { read, close: () => file.close() });
    },
  });
  return { files, bytes: () => bytes };
}

describe('a small object with a flipped byte', () => {
  test.each([1, 700, 200_000, mebi])('of %i bytes is refused before a byte of it goes out', async (size) => {
    const { url } = await damaged([size]);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([410, null]);
    expect(await answer.text()).toContain('<Code>ObjectDamaged</Code>');
  });

  test('is refused for any range of it, also one without that byte', async () => {
    const { url, whole } = await damaged([5_000]);
    for (const range of ['bytes=0-0', 'bytes=10-99', 'bytes=4999-'])
      expect((await fetch(url, { headers: { range } })).status, range).toBe(410);
    // Others are as they were, by range as well.
    const good = await damaged([5_000, 20], 1);
    const answer = await fetch(good.url, { headers: { range: 'bytes=100-199' } });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(good.whole.subarray(100, 200));
    expect(whole).toHaveLength(5_000);
  });

  test('is refused alone where many are fetched at once', async () => {
    const [one, other] = [await damaged([300]), await damaged([40])];
    const fine = await damaged([50, 60], 0);
    const whole = await stored([30, 40]);
    const urls = [one.url, whole.url, other.url, fine.url];
    const answer = await fetch(batchGetAddress(running.storage.batchGetUrl!, urls), { method: 'POST', body: batchGetBody(urls) });
    expect(answer.status).toBe(200);
    const text = Buffer.from(await answer.arrayBuffer());
    const end = text.indexOf('\n');
    const heads = JSON.parse(text.toString('utf8', 0, end)) as { length?: number; status?: number }[];
    expect(heads.map(({ length, status }) => length ?? status)).toEqual([410, 70, 410, 410]);
    expect(text.subarray(end + 1)).toEqual(whole.whole);
  });
});

describe('a large object with a flipped byte', () => {
  /** What of it comes before the connection is cut. */
  async function cutOff(url: string): Promise<Buffer> {
    const answer = await fetch(url);
    const pieces: Uint8Array[] = [];
    const read = async () => {
      for await (const piece of answer.body!) pieces.push(piece);
    };
    await expect(read()).rejects.toThrow('terminated');
    return Buffer.concat(pieces);
  }

  test.each([
    ['one part, at its end', [3 * mebi], 0, 3 * mebi - 1],
    ['one part, at its beginning', [3 * mebi], 0, 0],
    ['the first of two', [2 * mebi, 2 * mebi], 0, 5],
    ['the second of two', [2 * mebi, 2 * mebi], 1, 5],
  ] as const)('is cut before its end, in %s, and refused from then on', async (_what, sizes, part, at) => {
    const { url, whole } = await damaged(sizes, part, at);
    const got = await cutOff(url);
    const ofPart = sizes.slice(0, part + 1).reduce((sum: number, size) => sum + size, 0);
    expect(got.length).toBeLessThan(ofPart);
    expect(whole.length).toBeGreaterThanOrEqual(ofPart);
    for (const asked of ['bytes=3-', 'bytes=0-9']) expect((await fetch(url, { headers: { range: asked } })).status).toBe(410);
    expect((await fetch(url)).status).toBe(410);
  });

  test.each([
    ['from behind that byte to the end', 'bytes=2000000-', 5],
    ['from before that byte to the end', 'bytes=2000000-', 2_500_000],
    ['with an end', 'bytes=100-3000000', 5],
    ['without that byte', 'bytes=0-9', 2_500_000],
    ['of the last bytes', 'bytes=-20', 5],
  ])('is refused before a byte of it goes out, for a range %s, and from then on', async (_what, range, at) => {
    const { url } = await damaged([3 * mebi], 0, at);
    const refused = await Promise.all([fetch(url, { headers: { range } }), fetch(url, { headers: { range } })]);
    expect(refused.map(({ status }) => status)).toEqual([410, 410]);
    expect((await fetch(url)).status).toBe(410);
  });

  test('of which the part in a range is damaged is cut there; the parts before it are sent', async () => {
    const { url, whole } = await damaged([2 * mebi, 2 * mebi], 1, 5);
    const answer = await fetch(url, { headers: { range: `bytes=0-${2 * mebi - 1}` } });
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(0, 2 * mebi))).toBe(true);
    expect((await fetch(url, { headers: { range: `bytes=${2 * mebi + 9}-${2 * mebi + 20}` } })).status).toBe(410);
  });

  test('is sent to those who compare', async () => {
    const { url, whole } = await damaged([3 * mebi], 0, 5);
    for (const range of ['bytes=100-3145727', 'bytes=100-']) {
      const answer = await fetch(url, { headers: { range, ...compares } });
      expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(100))).toBe(true);
    }
  });

  describe('of one part that is read for seconds', () => {
    const size = 130 * mebi;
    let folder: TempFolder;
    let path: string;
    let part: PartFile;
    beforeAll(async () => {
      folder = await tempFolder();
      const zeros = Buffer.alloc(mebi);
      const hasher = new Blake3Hasher();
      for (let done = 0; done < size; done += mebi) hasher.update(zeros);
      part = partFile(1, size, hasher.digest('hex'));
      path = join(folder.path, part.file);
      // Sparse: it takes no room.
      writeFileSync(path, '');
      truncateSync(path, size);
    });
    afterAll(() => folder.remove());
    const range = () => ({ file: part.file, offset: 5, length: 20 });

    test('is compared before a range of it goes out, once for all who ask for it', async () => {
      const reads = countedReads();
      const parts = new ComparedParts(reads.files);
      const asked = [comparing(parts, path, range(), receiver()), comparing(parts, path, range(), receiver())];
      await Promise.all(asked);
      await comparing(parts, path, range(), receiver());
      expect(reads.bytes()).toBe(size);
      const handle = openSync(path, 'r+');
      writeSync(handle, Buffer.from([1]), 0, 1, size - 3);
      try {
        await expect(comparing(new ComparedParts(nodeFileSystem), path, range(), receiver())).rejects.toMatchObject({
          code: 'object_damaged',
        });
        expect(readdirSync(folder.path)).toContain('damaged');
      } finally {
        writeSync(handle, Buffer.from([0]), 0, 1, size - 3);
        closeSync(handle);
      }
    });

    test('is read no further once nobody waits for it, and again for the next', async () => {
      let read = 0;
      const reads = countedReads((bytes) => {
        read = bytes;
      });
      const parts = new ComparedParts(reads.files);
      const asked = [3, 5].map((count) =>
        comparing(
          parts,
          path,
          range(),
          receiver(() => read >= count * mebi),
        ),
      );
      await expect(Promise.all(asked)).rejects.toThrow(ReceiverGone);
      expect(read).toBe(5 * mebi);
      await comparing(parts, path, range(), receiver());
      expect(read).toBe(5 * mebi + size);
    });
  });

  test('and whole ones are sent as they are, whole and from any byte on', async () => {
    const { url, whole } = await stored([2 * mebi, 3 * mebi, 5]);
    for (const from of [1, 2 * mebi - 1, 2 * mebi, 2 * mebi + 1, 5 * mebi, 5 * mebi + 4]) {
      const answer = await fetch(url, { headers: { range: `bytes=${from}-` } });
      expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(from))).toBe(true);
    }
  });

  test('is not refused from then on where its file is whole: the byte was changed in memory', async () => {
    const { folder, whole } = await stored([2 * mebi]);
    const [file] = readdirSync(folder);
    const changed = Buffer.from(whole);
    changed[9]! ^= 1;
    const parts = new ComparedParts(nodeFileSystem);
    const compared = await comparing(parts, join(folder, file!), { file: file!, offset: 0, length: whole.length }, receiver());
    await expect(compared.add(changed)).rejects.toMatchObject({ code: 'object_damaged' });
    expect(readdirSync(folder)).toEqual([file]);
  });
});

describe('the comparing of large parts for ranges of them', () => {
  test('is given up for parts whose receivers have all gone before its turn, and not for one of which somebody is left', async () => {
    const objects = await Promise.all(Array.from({ length: 5 }, () => stored([2 * mebi])));
    const read: string[] = [];
    const parts = new ComparedParts({
      ...nodeFileSystem,
      open: async (path, flags, mode) => {
        read.push(path);
        return nodeFileSystem.open(path, flags, mode);
      },
    });
    const paths = objects.map(({ folder }) => join(folder, readdirSync(folder)[0]!));
    const ask = (index: number, isGone: () => boolean) =>
      comparing(parts, paths[index]!, { file: basename(paths[index]!), offset: 9, length: 1 }, receiver(isGone));
    const outcomes = await Promise.allSettled([
      ...[ask(0, () => false), ask(1, () => false)],
      ...[ask(2, () => true), ask(2, () => true)],
      ...[ask(3, () => true), ask(3, () => false)],
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, false, true, true]);
    expect(outcomes[2]).toMatchObject({ reason: { name: 'ReceiverGone' } });
    expect(read.toSorted()).toEqual([paths[0], paths[1], paths[3]].toSorted());
    // Whoever comes later is served.
    await ask(2, () => false);
    expect(read).toContain(paths[2]);
  });
});

test('whoever comes while a comparison is given up is served all the same', async () => {
  const { folder } = await stored([2 * mebi]);
  const [file] = readdirSync(folder);
  const isClosing = Promise.withResolvers<void>();
  const mayClose = Promise.withResolvers<void>();
  let isOpen = false;
  const parts = new ComparedParts({
    ...nodeFileSystem,
    open: async (path, flags, mode) => {
      const opened = await nodeFileSystem.open(path, flags, mode);
      isOpen = true;
      const close = opened.close.bind(opened);
      opened.close = async () => {
        isClosing.resolve();
        await mayClose.promise;
        await close();
      };
      return opened;
    },
  });
  const stretch = { file: file!, offset: 9, length: 1 };
  const first = comparing(
    parts,
    join(folder, file!),
    stretch,
    receiver(() => isOpen),
  );
  first.catch(() => undefined);
  await isClosing.promise;
  const second = comparing(parts, join(folder, file!), stretch, receiver());
  second.catch(() => undefined);
  mayClose.resolve();
  await expect(first).rejects.toMatchObject({ name: 'ReceiverGone' });
  await second;
  expect(parts.isFresh(join(folder, file!))).toBe(true);
});

describe('what the service itself reads', () => {
  test.each([
    ['a small object', [900], 0],
    ['the first of two parts', [3 * mebi, 2 * mebi], 0],
    ['the last part', [2 * mebi, 700_000], 1],
  ] as const)('ends with an error before the end of %s', async (_what, sizes, part) => {
    const { key, whole } = await damaged(sizes, part, 5);
    await expect(running.storage.read(key).then(buffer)).rejects.toMatchObject({ code: 'object_damaged' });
    const into = Buffer.alloc(whole.length);
    await expect(running.storage.readInto!(key, [into], 0)).rejects.toMatchObject({ code: 'object_damaged' });
  });

  test('a range of a large part is given, since nothing says what it should be', async () => {
    const { key, whole } = await damaged([3 * mebi], 0, 5);
    const range = await buffer(await running.storage.read(key, { start: 100, end: 199 }));
    expect(range).toEqual(whole.subarray(100, 200));
  });
});
