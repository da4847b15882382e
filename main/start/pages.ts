import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The pages, their sources, and their output folders. */
const pages = [
  { name: 'renderer', sources: ['renderer', 'ui', 'protocol', 'client', 'resources'] },
  { name: 'web', sources: ['web', 'ui', 'protocol', 'client', 'resources'] },
] as const;

type PagesName = (typeof pages)[number]['name'];

/** Builds the pages that are missing or older than their sources. Returns their names. */
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

/** The newest modification time of a folder's files, in milliseconds since 1970. */
async function newest(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = (await readdir(path)).filter((name) => name !== 'dist' && name !== 'node_modules');
  const times = await Promise.all(names.map((name) => newest(join(path, name))));
  // The folder's own time is ignored: it changes when a file is removed, but also when `dist` is created.
  return Math.max(0, ...times);
}
