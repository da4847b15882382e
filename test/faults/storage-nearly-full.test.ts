import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { freeSpaceChecks } from '#service/free-space.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Whether this user may mount a disk of so many megabytes there. */
const mounts = (path: string, megabytes: number): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' }).status === 0;

it.each([
  [99, 'service_storage_full'],
  [150, null],
] as const)('objects on a disk with %i MB free: %s', async (megabytes, expected) => {
  const { path, remove } = await tempFolder();
  const canMount = mounts(path, megabytes);
  try {
    const check = freeSpaceChecks({}, { objects: path, postgres: path })['objects disk']!;
    // A user who may not mount has the machine's own disk, which has room for a chunk.
    expect((await check())?.error ?? null).toBe(canMount ? expected : null);
  } finally {
    if (canMount) spawnSync('umount', ['-l', path]);
    await remove();
  }
});
