import { expect, test } from 'vitest';
import { folderIdentityOf, isSameFolder } from '#engine/folders/folder-identity.ts';
import type { FileStats } from '#filesystem/port.ts';

/** Which folder is taken for which, when a drive goes and something comes in its place. */

const drive = { dev: 2065, ino: 2, bornAt: 1_700_000_000_000.25 };

test.each([
  ['nothing has changed', {}, true],
  ['the drive is connected again and has another number', { dev: 2081 }, true],
  ['the drive is gone, and its mount point is on the disk of the system', { dev: 2049, ino: 131_077, bornAt: 1_600_000_000_000 }, false],
  ['after a restart the disk of the system has the number that the drive had', { ino: 131_077, bornAt: 1_600_000_000_000 }, false],
  ['another drive has the number', { bornAt: 1_710_000_000_000 }, false],
] as const)('%s: %o', (_, change, same) => {
  expect(isSameFolder(drive, { ...drive, ...change })).toBe(same);
});

test.each([
  ['the same number', {}, true],
  ['another number', { dev: 2081 }, false],
  ['another inode', { ino: 1_234 }, false],
] as const)('on a disk that keeps no times of birth, a folder with %s: %o', (_, change, same) => {
  expect(isSameFolder({ ...drive, bornAt: 0 }, { ...drive, bornAt: 0, ...change })).toBe(same);
});

test('a time of birth that may be the last change is not known', () => {
  const stats = { dev: 1, ino: 2, birthtimeMs: 5, ctimeMs: 5 } as FileStats;
  expect(folderIdentityOf(stats)).toEqual({ dev: 1, ino: 2, bornAt: 0 });
  expect(folderIdentityOf({ ...stats, ctimeMs: 6 })).toEqual({ dev: 1, ino: 2, bornAt: 5 });
  expect(isSameFolder(folderIdentityOf(stats), folderIdentityOf({ ...stats, ctimeMs: 6 }))).toBe(true);
});
