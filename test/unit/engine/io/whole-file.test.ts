import { closeSync, fstatSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TransferError } from '#client/errors.ts';
import { exists } from '#engine/folders/scan.ts';
import { createFlush, writeWhole } from '#engine/io/whole-file.ts';
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

const isClosed = (fd: number): boolean => {
  try {
    fstatSync(fd);
    return false;
  } catch {
    return true;
  }
};

describe('a small file that is there whole', () => {
  test('is written with its time', () => {
    closeSync(writeWhole(temporary, Buffer.from('whole'), { mtimeMs }));
    expect(readFileSync(temporary, 'utf8')).toBe('whole');
    expect(statSync(temporary).mtimeMs).toBeCloseTo(mtimeMs, 0);
  });

  test('takes the place of what an earlier run has left, however long that is', () => {
    writeFileSync(temporary, 'much longer than whole');
    closeSync(writeWhole(temporary, Buffer.from('whole'), { mtimeMs }));
    expect(readFileSync(temporary, 'utf8')).toBe('whole');
  });

  test('is not written through a link that stands under its name', () => {
    const elsewhere = join(folder.path, 'elsewhere');
    writeFileSync(elsewhere, 'as it was');
    symlinkSync(elsewhere, temporary);
    closeSync(writeWhole(temporary, Buffer.from('whole'), { mtimeMs }));
    expect([readFileSync(elsewhere, 'utf8'), readFileSync(temporary, 'utf8')]).toEqual(['as it was', 'whole']);
  });

  test('is looked at before anything is written, and leaves nothing where that refuses it', () => {
    const refused = new Error('outside');
    let opened = -1;
    const look = (descriptor: number): void => {
      opened = descriptor;
      expect(fstatSync(descriptor).size).toBe(0);
      throw refused;
    };
    expect(() => writeWhole(temporary, Buffer.from('whole'), { mtimeMs, opened: look })).toThrow(refused);
    expect([exists(temporary), isClosed(opened)]).toEqual([false, true]);
  });

  test('fails as a target does where its folder is gone', () => {
    const gone = join(folder.path, 'gone', '.part');
    expect(() => writeWhole(gone, Buffer.from('whole'), { mtimeMs })).toThrow(TransferError);
  });
});

const quick: SyncWhenFast = (work) => work();

describe('a flush', () => {
  test('is over at once while the disk is quick', () => {
    const fd = openSync(temporary, 'w');
    expect(createFlush(quick)(temporary, fd)).toBeUndefined();
    expect(isClosed(fd)).toBe(true);
  });

  test('is left to other threads where it is not', async () => {
    const fd = openSync(temporary, 'w');
    const flushed = createFlush(() => undefined)(temporary, fd);
    expect(isClosed(fd)).toBe(false);
    await flushed;
    expect(isClosed(fd)).toBe(true);
  });

  test('that fails is told of, and the file is closed', async () => {
    const fd = openSync(temporary, 'w');
    const failing = createFlush(() => {
      throw Object.assign(new Error('input/output error'), { code: 'EIO', syscall: 'fsync' });
    });
    expect(() => failing(temporary, fd)).toThrow(expect.objectContaining({ code: 'target_unwritable' }));
    expect(isClosed(fd)).toBe(true);
    // A descriptor that is closed is one that no other thread can flush.
    await expect(createFlush(() => undefined)(temporary, fd)).rejects.toMatchObject({ code: 'target_unwritable' });
  });
});
