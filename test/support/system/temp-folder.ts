import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder, and its removal. Removing it again does nothing. */
export async function tempFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-test-'));
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
