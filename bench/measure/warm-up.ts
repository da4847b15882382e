import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

/** Makes the machine the same before each run. */

/**
 * Touches memory and frees it. On virtual machines the first use of memory costs several times as much as later use,
 * which would be charged to the first contender.
 */
export function touchMemory(bytes: number): void {
  const { status } = spawnSync(process.execPath, ['-e', `Buffer.alloc(${bytes}, 1)`], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`There is not enough free memory to touch ${bytes} bytes of it.`);
}

/** Reads files, so that they are cached for every run. */
export function readThrough(files: readonly string[]): void {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (const file of files) {
    const descriptor = openSync(file, 'r');
    try {
      while (readSync(descriptor, buffer) > 0);
    } finally {
      closeSync(descriptor);
    }
  }
}
