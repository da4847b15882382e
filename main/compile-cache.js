import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

// Plain JavaScript, since it comes before the first module with types: what takes the types out of a module that is not in
// the cache takes 17 MB of a process for good, and 50 ms of its start.

const allCompiled = () => join(envPaths('longshore', { suffix: '' }).cache, 'compiled');

/** Each place that Longshore runs from has a folder, since Node keeps a file for each module's path and removes none. */
const ownCompiled = () =>
  join(
    allCompiled(),
    createHash('sha256')
      .update(import.meta.dirname)
      .digest('hex')
      .slice(0, 16),
  );

export function useCompileCache() {
  const folder = ownCompiled();
  enableCompileCache(folder);
  // For threads, which do not have it from this one.
  process.env.NODE_COMPILE_CACHE ??= folder;
  if (process.env.NODE_COMPILE_CACHE === folder) noteUse(folder);
}

const quietMs = 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** For a program that runs on. */
export function keepCompiled() {
  setTimeout(flushCompileCache, quietMs).unref();
  const own = ownCompiled();
  if (process.env.NODE_COMPILE_CACHE !== own) return;
  setInterval(noteUse, dayMs, own).unref();
  setTimeout(async () => {
    const { removeUnused } = await import('./unused-compiled.ts');
    await removeUnused(allCompiled(), own, new Date());
  }, quietMs).unref();
}

/** Its time says that somebody uses it (unused-compiled.ts). */
function noteUse(folder) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // Not there yet, or in a file system that is only read.
  }
}
