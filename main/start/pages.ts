import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirs } from '#filesystem/make-dirs.ts';
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
    await replacePages(name, builtFolder(name));
    built.push(name);
  }
  return built;
}

/** Whether the pages in their folder are made of the sources of now. */
export async function areBuilt(name: PagesName): Promise<boolean> {
  const from = await builtFrom(builtFolder(name));
  return from !== null && from === (await sourcesDigest(name));
}

const builtFrom = (folder: string): Promise<string | null> => readFile(join(folder, stamp), 'utf8').catch(() => null);

/** Beside a folder of pages, on the same disk: where they are built before they take its place. */
const staging = '.cache';

/** Milliseconds after which what lies there was left by a process that was killed: no build takes as long. */
const abandonedMs = 60 * 60_000;

/**
 * Builds pages beside their folder and then renames, so that the folder only ever has whole pages. Without a lock, which a
 * killed process would leave: of several processes that build at once each does the work, and the first one's pages stay.
 */
export async function replacePages(name: PagesName, folder: string): Promise<void> {
  const parent = join(dirname(folder), staging);
  const own = join(parent, `pages-${randomBytes(6).toString('hex')}`);
  // Not by `mkdtemp`: a service often runs as another user than the one who builds.
  makeDirs(own);
  await removeAbandoned(parent);
  try {
    const fresh = join(own, 'new');
    await buildInto(name, fresh);
    await swapIn(fresh, folder, join(own, 'old'));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** A folder cannot be renamed onto another one: the old one goes first, unless it has become the same. */
async function swapIn(fresh: string, folder: string, old: string): Promise<void> {
  const digest = await builtFrom(fresh);
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(fresh, folder);
    } catch (error) {
      if ((await builtFrom(folder)) === digest) return;
      const { code } = error as NodeJS.ErrnoException;
      // Windows says EPERM where others say that it is not empty.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(code ?? '') || attempt === 10) throw error;
    }
    await rename(folder, `${old}-${attempt}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const made = await stat(path).catch(() => null);
    if (made && Date.now() - made.mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true });
  }
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
    const names = (await readdir(at)).filter((one) => one !== 'dist' && one !== staging && one !== 'node_modules');
    for (const one of names.sort()) await take(`${path}/${one}`);
  }
}
