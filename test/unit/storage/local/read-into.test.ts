import { randomBytes } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestStorage, type TestStorage } from '#test/support/storage/local-storage.ts';

let running: TestStorage;
beforeEach(async () => {
  running = await startTestStorage();
});
afterEach(() => running.close());

const never = new AbortController().signal;

/** An object of parts of these sizes. */
async function store(key: string, sizes: readonly number[]): Promise<Buffer> {
  const { storage } = running;
  const uploadId = await storage.begin(key);
  const bytes = sizes.map((size) => randomBytes(size));
  const parts = [];
  for (const [index, part] of bytes.entries()) {
    async function* open() {
      yield part;
    }
    parts.push(await storage.putPart({ key, uploadId, partNumber: index + 1, size: part.length, open }, never));
  }
  await storage.complete(key, uploadId, parts);
  return Buffer.concat(bytes);
}

const key = '0192aaaa-bbbb-7ccc-8ddd-eeeeffff0001';

test.each([
  ['small parts, read at once', [700, 10, 2_000]],
  // Larger than what is read in the calling thread.
  ['large parts', [400_000, 300_000, 50]],
])('buffers are filled one after the other, over the ends of parts: %s', async (_what, sizes) => {
  const bytes = await store(key, sizes);
  for (const start of [0, 1, sizes[0]! - 1, sizes[0]!, sizes[0]! + 5]) {
    const length = bytes.length - start;
    for (const first of [length, 1, Math.floor(length / 2)]) {
      const buffers = [Buffer.alloc(first), Buffer.alloc(length - first)];
      await running.storage.readInto!(key, buffers, start);
      expect(Buffer.concat(buffers).equals(bytes.subarray(start))).toBe(true);
    }
  }
  await running.storage.readInto!(key, [Buffer.alloc(0)], bytes.length);
});

test('its errors are those of a read', async () => {
  await store(key, [1_000]);
  const read = (name: string, size: number, start: number) => running.storage.readInto!(name, [Buffer.alloc(size)], start);
  await expect(read('0192aaaa-bbbb-7ccc-8ddd-eeeeffff0002', 1, 0)).rejects.toMatchObject({ code: 'no_such_object' });
  await expect(read(key, 10, 991)).rejects.toMatchObject({ code: 'range_not_satisfiable', details: { size: 1_000 } });
  await expect(read(key, 10, -1)).rejects.toMatchObject({ code: 'range_not_satisfiable' });

  const objects = join(running.root, 'objects');
  const [file] = readdirSync(objects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  truncateSync(join(file!.parentPath, file!.name), 500);
  await expect(read(key, 1_000, 0)).rejects.toMatchObject({ code: 'object_damaged' });
});
