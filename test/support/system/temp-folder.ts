import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where `diskFolder` makes its folders: the folder of temporaries before a run had its own in memory (files-in-memory.ts). */
export const diskVariable = 'LONGSHORE_TEST_DISK';

export interface TempFolder {
  readonly path: string;
  /** Removing it again does nothing. */
  remove(): Promise<void>;
}

/** A fresh folder, in memory where a run has its files there. */
export const tempFolder = (): Promise<TempFolder> => folderBelow(tmpdir());

/** A fresh folder on a disk, for what is about what disks do: inodes that are used again, orders of names, events. */
export const diskFolder = (): Promise<TempFolder> => folderBelow(process.env[diskVariable] ?? tmpdir());

async function folderBelow(parent: string): Promise<TempFolder> {
  const path = await mkdtemp(join(parent, 'longshore-test-'));
  // As root, PostgreSQL runs as another user, who has to pass through.
  if (process.getuid?.() === 0) await chmod(path, 0o711);
  return { path, remove: () => removeFolder(path) };
}

/** A promise for each of a storage's 512 folders costs four times the CPU. Who still writes into it has time to end, though. */
async function removeFolder(path: string): Promise<void> {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}
