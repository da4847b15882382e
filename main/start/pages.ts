import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCompressed } from './compressed.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** The pages, and what they are made of. */
const sources = {
  renderer: ['renderer', 'ui', 'protocol', 'client', 'resources', 'package-lock.json'],
  // The console shows what its setup pages say.
  web: ['web', 'ui', 'protocol', 'client', 'resources', 'docs/connections', 'docs/connections.md', 'docs/gateway.md', 'package-lock.json'],
} as const;

export type PagesName = keyof typeof sources;

/** What builds them, one after the other into one folder. */
const configFiles: Readonly<Record<PagesName, readonly string[]>> = {
  renderer: ['renderer/vite.config.ts'],
  web: ['web/vite.config.ts', 'web/console/vite.config.ts'],
};

const mode = 'production';

/** In a folder of built pages: the digest of what they were made of. */
const stamp = '.built-from';

/** Where pages are built to, and served from. */
export const builtFolder = (name: PagesName): string => join(project, name, 'dist');

/** Builds the pages that are missing or made of other sources than those of now. Returns their names. */
export async function buildPages(): Promise<readonly PagesName[]> {
  const built: PagesName[] = [];
  for (const name of Object.keys(sources) as PagesName[]) {
    if (await areBuilt(name)) continue;
    await buildInto(name, builtFolder(name));
    built.push(name);
  }
  return built;
}

/** Whether the pages in their folder are made of the sources of now. */
export async function areBuilt(name: PagesName): Promise<boolean> {
  const from = await readFile(join(builtFolder(name), stamp), 'utf8').catch(() => null);
  return from !== null && from === (await sourcesDigest(name));
}

/**
 * Builds pages into a folder, which is emptied before, with compressed copies. As they are shipped, also where `NODE_ENV` says
 * otherwise, as under tests: pages of another mode hold paths of this machine and React's own checks.
 */
export async function buildInto(name: PagesName, folder: string): Promise<void> {
  const digest = await sourcesDigest(name);
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = mode;
  try {
    const { build } = await import('vite');
    for (const [index, file] of configFiles[name].entries()) {
      await build({ configFile: join(project, file), mode, logLevel: 'error', build: { outDir: folder, emptyOutDir: index === 0 } });
    }
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await writeCompressed(folder);
  await writeFile(join(folder, stamp), digest);
}

/** The digest of all that pages are made of, and how, as 16 hexadecimal digits. */
export async function sourcesDigest(name: PagesName): Promise<string> {
  const hash = createHash('sha256').update(`${mode}\n`);
  for (const source of sources[name]) await take(source);
  return hash.digest('hex').slice(0, 16);

  async function take(path: string): Promise<void> {
    const at = join(project, path);
    if (!(await stat(at)).isDirectory()) {
      hash.update(`${path}\n`).update(await readFile(at));
      return;
    }
    const names = (await readdir(at)).filter((one) => one !== 'dist' && one !== 'node_modules');
    for (const one of names.sort()) await take(`${path}/${one}`);
  }
}
