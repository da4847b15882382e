import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { blake3 } from '@napi-rs/blake-hash';
import { afterEach, describe, expect, test } from 'vitest';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { writesInFlight } from '#storage/local/block-writer.ts';
import { PartWriter } from '#storage/local/part-writer.ts';
import { ReceivedParts } from '#storage/local/received-parts.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const strides = Array.from({ length: 7 }, (_, index) => randomBytes(index === 6 ? 11 : 100_000));
const whole = Buffer.concat(strides);

/** `slow`: every write takes longer than memory would. */
async function setUp(slow: boolean, files: FileSystem = nodeFileSystem) {
  const { path, remove } = await tempFolder();
  endings.push(remove);
  const folder = join(path, 'upload');
  await mkdir(folder);
  let now = 0;
  let onRoom = (): void => {};
  const failures: Error[] = [];
  const writer = new PartWriter(
    { folder, partNumber: 3, length: whole.length, received: new ReceivedParts(), files },
    {
      clock: () => {
        if (slow) now += 1_000;
        return now;
      },
      onRoom: () => onRoom(),
      onFailure: (error) => failures.push(error),
    },
  );
  /** The next time there is room. */
  const room = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    onRoom = resolve;
    return promise;
  };
  return { folder, writer, room, failures };
}

describe.each([
  ['that memory takes', false],
  ['that waits for its disk', true],
])('a part %s', (_, slow) => {
  test('has its final name once it is complete', async () => {
    const { folder, writer, room, failures } = await setUp(slow);
    let held = 0;
    let most = 0;
    for (const bytes of strides) {
      const waited = room();
      most = Math.max(most, ++held);
      if (!writer.add(bytes, () => held--)) await waited;
    }
    expect(readdirSync(folder).every((name) => name.startsWith('.'))).toBe(true);
    const part = await writer.finish();
    expect(held).toBe(0);
    expect(most).toBe(slow ? writesInFlight : 1);
    expect(part).toMatchObject({ partNumber: 3, size: whole.length, hex: blake3(whole).toString('hex') });
    expect(readdirSync(folder)).toEqual([part.file]);
    expect(readFileSync(join(folder, part.file)).equals(whole)).toBe(true);
    expect(failures).toEqual([]);
  });

  test('leaves nothing when it is discarded', async () => {
    const { folder, writer } = await setUp(slow);
    writer.add(strides[0]!, () => {});
    writer.add(strides[1]!, () => {});
    await writer.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is refused if its upload was deleted meanwhile', async () => {
    const { folder, writer } = await setUp(slow);
    writer.add(strides[0]!, () => {});
    writer.add(strides[1]!, () => {});
    rmSync(folder, { recursive: true });
    await expect(writer.finish()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is not begun if its upload does not exist', async () => {
    const { folder } = await setUp(slow);
    const part = { folder: `${folder}-gone`, partNumber: 1, length: 1, received: new ReceivedParts(), files: nodeFileSystem };
    expect(() => new PartWriter(part, { clock: () => 0, onRoom: () => {}, onFailure: () => {} })).toThrow('ENOENT');
  });

  test('fails once on a full disk, and keeps nothing', async () => {
    const files = new BreakingFileSystem();
    files.limitedSpace.limit(250_000);
    const { folder, writer, failures } = await setUp(slow, files);
    for (const bytes of strides) writer.add(bytes, () => {});
    await expect(writer.finish()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(failures).toMatchObject(slow ? [] : [{ code: 'ENOSPC' }]);
    expect(readdirSync(folder)).toEqual([]);
    expect(files.openFiles).toEqual([]);
  });
});
