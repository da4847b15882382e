import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areBuilt, buildInto, builtFolder, type PagesName, sourcesDigest } from '#main/start/pages.ts';

export interface BuiltPages {
  /** The folder with index.html. Others use it too: it must not be changed. */
  readonly folder: string;
}

const cache = fileURLToPath(new URL('../../../node_modules/.cache/longshore-test', import.meta.url));

/**
 * `renderer` or `web` as it is now, built once for all test files, or copied from where `npm test` has built it: a build is
 * named by what it was made of, so that no test ever sees an old one, and takes as long as many a test.
 */
export function buildPages(name: PagesName): Promise<BuiltPages> {
  // Once for a process: to tell whether they are as of now takes reading all that they are made of.
  const found = known.get(name) ?? findOrBuild(name);
  known.set(name, found);
  return found;
}

const known = new Map<PagesName, Promise<BuiltPages>>();

async function findOrBuild(name: PagesName): Promise<BuiltPages> {
  const folder = join(cache, `${name}-${await sourcesDigest(name)}`);
  if (await exists(folder)) return { folder };
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, `new-${name}-`));
  try {
    if (await areBuilt(name)) await cp(builtFolder(name), fresh, { recursive: true });
    else await buildInto(name, fresh);
    for (const other of await readdir(cache)) {
      if (other.startsWith(`${name}-`) && (await isOld(join(cache, other)))) await rm(join(cache, other), { recursive: true, force: true });
    }
    // Another test file may have been quicker.
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return { folder };
}

/** Milliseconds for which another run may still be showing a build. */
const inUse = 60 * 60_000;

const isOld = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > inUse,
    () => false,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
