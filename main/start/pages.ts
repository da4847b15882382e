import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The pages, what they are made from, and where they are built. */
const pages = [
  { name: 'renderer', sources: ['renderer', 'protocol', 'resources'] },
  { name: 'web', sources: ['web', 'protocol', 'client', 'resources'] },
] as const;

export type PagesName = (typeof pages)[number]['name'];

/** Builds the pages that are missing or older than their sources. Returns the names of those it built. */
export async function buildPages(): Promise<readonly PagesName[]> {
  const stale: PagesName[] = [];
  for (const { name, sources } of pages) if (await isStale(name, sources)) stale.push(name);
  if (stale.length === 0) return stale;
  const { build } = await import('vite');
  for (const name of stale) await build({ configFile: join(project, name, 'vite.config.ts'), logLevel: 'error' });
  return stale;
}

async function isStale(name: string, sources: readonly string[]): Promise<boolean> {
  const built = await stat(join(project, name, 'dist/index.html')).catch(() => null);
  if (built === null) return true;
  const times = await Promise.all([...sources.map((folder) => newest(join(project, folder))), newest(join(project, 'package-lock.json'))]);
  return Math.max(...times) > built.mtimeMs;
}

/** When the newest file of a folder was changed, in milliseconds since 1970. */
async function newest(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = (await readdir(path)).filter((name) => name !== 'dist' && name !== 'node_modules');
  const times = await Promise.all(names.map((name) => newest(join(path, name))));
  // A folder's own time says that something was removed from it, but also that `dist` was made.
  return Math.max(0, ...times);
}
