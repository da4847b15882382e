import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { exists } from '#engine/folders/scan.ts';
import { writeWholeNow } from '#engine/io/fast/write-whole.ts';
import { createFlush, writeWholeByOthers } from '#engine/io/whole-file.ts';
import { BreakingFileSystem } from '#filesystem/breaking/breaking-file-system.ts';
import { openFlags } from '#filesystem/flags.ts';
import type { OpenFile } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let temporary: string;

beforeEach(async () => {
  folder = await tempFolder();
  temporary = join(folder.path, '.part');
});

afterEach(() => folder.remove());

const mtimeMs = Date.UTC(2024, 1, 29, 12, 0, 0, 250);

describe.each([
  ['at once', async (...given: Parameters<typeof writeWholeNow>) => writeWholeNow(...given)],
  ['by other threads', writeWholeByOthers],
])('a small file that is there whole, %s', (_, writeWhole) => {
  test('is written with its time', async () => {
    (await writeWhole(temporary, Buffer.from('whole'), { mtimeMs })).closeNow();
    expect(readFileSync(temporary, 'utf8')).toBe('whole');
    expect(statSync(temporary).mtimeMs).toBeCloseTo(mtimeMs, 0);
  });

  test('takes the place of what an earlier run has left, however long that is', async () => {
    writeFileSync(temporary, 'much longer than whole');
    (await writeWhole(temporary, Buffer.from('whole'), { mtimeMs })).closeNow();
    expect(readFileSync(temporary, 'utf8')).toBe('whole');
  });

  test('is not written through a link that stands under its name', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    writeFileSync(elsewhere, 'as it was');
    symlinkSync(elsewhere, temporary);
    (await writeWhole(temporary, Buffer.from('whole'), { mtimeMs })).closeNow();
    expect([readFileSync(elsewhere, 'utf8'), readFileSync(temporary, 'utf8')]).toEqual(['as it was', 'whole']);
  });

  test('is looked at before anything is written, and leaves nothing where that refuses it', async () => {
    const refused = new Error('outside');
    const fileSystem = new BreakingFileSystem();
    const opened = (file: OpenFile): void => {
      expect([file.statNow().size, fileSystem.openFiles]).toEqual([0, [temporary]]);
      throw refused;
    };
    await expect(writeWhole(temporary, Buffer.from('whole'), { mtimeMs, opened, fileSystem })).rejects.toThrow(refused);
    expect([exists(temporary), fileSystem.openFiles]).toEqual([false, []]);
  });

  test('fails as a target does where its folder is gone', async () => {
    const gone = join(folder.path, 'gone', '.part');
    await expect(writeWhole(gone, Buffer.from('whole'), { mtimeMs })).rejects.toThrow(TransferError);
  });
});

const quick: SyncWhenFast = (work) => work();

describe('a flush', () => {
  const opened = (fileSystem: BreakingFileSystem): OpenFile => fileSystem.openNow(temporary, openFlags.writeOwnOrCreate, 0o600);

  test('is over at once while the disk is quick', () => {
    const fileSystem = new BreakingFileSystem();
    expect(createFlush(quick)(temporary, opened(fileSystem))).toBeUndefined();
    expect(fileSystem.openFiles).toEqual([]);
  });

  test('is left to other threads where it is not', async () => {
    const fileSystem = new BreakingFileSystem();
    const flushed = createFlush(() => undefined)(temporary, opened(fileSystem));
    expect(fileSystem.openFiles).toEqual([temporary]);
    await flushed;
    expect(fileSystem.openFiles).toEqual([]);
  });

  test('that fails is told of, and the file is closed', async () => {
    const fileSystem = new BreakingFileSystem();
    fileSystem.faults.add({ call: 'flush', times: 2, effect: { code: 'EIO' } });
    expect(() => createFlush(quick)(temporary, opened(fileSystem))).toThrow(expect.objectContaining({ code: 'target_unwritable' }));
    expect(fileSystem.openFiles).toEqual([]);
    await expect(createFlush(() => undefined)(temporary, opened(fileSystem))).rejects.toMatchObject({ code: 'target_unwritable' });
    expect(fileSystem.openFiles).toEqual([]);
  });
});
