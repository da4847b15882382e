import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3 as reference } from 'hash-wasm';
import { afterEach, expect, test } from 'vitest';
import { createBufferPool, stride } from '#engine/io/buffers.ts';
import { blake3Hex, createSliceDigest, createSliceHasher, digestsOf } from '#engine/io/digests.ts';
import { createDiskSink } from '#engine/io/disk-sink.ts';

import { tempFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

test.each([0, 1, 1_024, 1_025, 300_000])('BLAKE3 of %i bytes is what another implementation says', async (length) => {
  const bytes = randomBytes(length);
  const expected = await reference(bytes);
  expect(blake3Hex(bytes)).toBe(expected);
  expect(blake3Hex(new Uint8Array(bytes))).toBe(expected);
  const digest = createSliceDigest(false);
  for (let at = 0; at < length; at += 777) digest.update(bytes.subarray(at, at + 777));
  expect(digest.end()).toEqual({ blake3: expected });
});

test('MD5 comes where it is asked for', () => {
  const bytes = randomBytes(5_000);
  const both = { blake3: blake3Hex(bytes), md5: createHash('md5').update(bytes).digest('hex') };
  expect(digestsOf(bytes, true)).toEqual(both);
  const digest = createSliceDigest(true);
  digest.update(bytes);
  expect(digest.end()).toEqual(both);
});

test('a slice is digested where it lies', async () => {
  const folder = await tempFolder();
  endings.push(folder.remove);
  const content = randomBytes(2 * stride + 99);
  const path = join(folder.path, 'file');
  writeFileSync(path, content);
  const file = createDiskSink(path, content.length);
  endings.push(file.close);
  const hash = createSliceHasher(createBufferPool());
  const options = { md5: false, signal: new AbortController().signal };
  expect(await hash(file, { offset: 7, length: 2 * stride }, options)).toEqual({ blake3: blake3Hex(content.subarray(7, 7 + 2 * stride)) });
  expect(await hash(file, { offset: 7, length: 0 }, options)).toEqual({ blake3: blake3Hex(Buffer.alloc(0)) });
  await expect(hash(file, { offset: content.length - 1, length: 2 }, options)).rejects.toMatchObject({ code: 'file_changed' });
  await expect(hash(file, { offset: 0, length: 5 }, { ...options, signal: AbortSignal.abort(new Error('paused')) })).rejects.toThrow(
    'paused',
  );
});
