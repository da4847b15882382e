import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { createHoles } from '#engine/io/holes.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const KiB = 1024;
const block = 64 * KiB;
let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  await folder.remove();
});

test.each([true, false])('a sparse file stays sparse (writing at once: %s)', async (now) => {
  const size = 32 * 1024 * KiB;
  const content = Buffer.alloc(size);
  content.fill(7, 5 * 1024 * KiB, 5 * 1024 * KiB + 10);
  const target = join(folder.path, 'sparse');
  const sink = createDiskSink(`${target}.part`, size, now ? {} : { syncWhenFast: () => undefined });
  // The end first, as ranges come.
  for (let at = size - 1024 * KiB; at >= 0; at -= 1024 * KiB) await sink.write([content.subarray(at, at + 1024 * KiB)], at);
  await sink.commit(target, { mtimeMs: 0, durable: false });
  expect(readFileSync(target).equals(content)).toBe(true);
  expect(statSync(target).blocks * 512).toBeLessThan(size / 8);
});

test('zeros are written over what an earlier try has left, in this run and in one before', async () => {
  const size = 8 * block;
  const target = join(folder.path, 'again');
  writeFileSync(`${target}.part`, Buffer.alloc(3 * block, 1));
  const sink = createDiskSink(`${target}.part`, size);
  await sink.write([Buffer.alloc(4 * block, 2)], 4 * block);
  await sink.write([Buffer.alloc(size)], 0);
  await sink.commit(target, { mtimeMs: 0, durable: false });
  expect(readFileSync(target).equals(Buffer.alloc(size))).toBe(true);
});

test('whatever is written in whatever order, left out are zeros alone, and only where nothing was', () => {
  const size = 6 * block + 100;
  const write = fc.record({
    position: fc.integer({ min: 0, max: size - 1 }),
    lengths: fc.array(fc.integer({ min: 1, max: 3 * block }), { minLength: 1, maxLength: 3 }),
    value: fc.constantFrom(0, 0, 1),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 6 }), fc.integer({ min: 0, max: 2 * block }), (writes, existing) => {
      // What is there before the file is opened is not zero.
      const [real, model] = [Buffer.alloc(size), Buffer.alloc(size)];
      for (const file of [real, model]) file.fill(9, 0, existing);
      const holes = createHoles(size, existing);
      for (const { position, lengths, value } of writes) {
        let end = position;
        const buffers = lengths.flatMap((length) => {
          const bytes = Buffer.alloc(Math.min(length, size - end), value);
          end += bytes.length;
          return bytes.length > 0 ? [bytes] : [];
        });
        Buffer.concat(buffers).copy(model, position);
        for (const piece of holes.plan(buffers, position)?.pieces ?? [{ buffers, position }]) {
          Buffer.concat([...piece.buffers]).copy(real, piece.position);
        }
      }
      expect(real.equals(model)).toBe(true);
    }),
    { numRuns: runs(25, 1_000) },
  );
});
