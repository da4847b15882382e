import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Who uses a folder says so at each start, and daily while it runs (compile-cache.js). */
const unusedMs = 14 * 24 * 60 * 60 * 1_000;

/**
 * Removes what other places and earlier versions of Longshore have compiled, once nobody has used it for two weeks. Failures
 * are left to the next start: nothing depends on it.
 */
export async function removeUnused(folder: string, own: string, now: Date): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (path === own || now.getTime() - (await stat(path)).mtimeMs < unusedMs) continue;
      await rm(path, { recursive: true, force: true });
    }
  } catch {
    // Another start removes the same, or the folder cannot be written.
  }
}
