import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder, and its removal. Removing it again does nothing. */
export async function tempFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
