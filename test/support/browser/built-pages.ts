import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BuiltPages {
  /** The folder with index.html. Others use it too: it must not be changed. */
  readonly folder: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/longshore-test');

/** What a room's pages are made of. */
const sources = {
  renderer: ['renderer', 'ui', 'protocol', 'client', 'resources', 'package-lock.json'],
  web: ['web', 'ui', 'client', 'protocol', 'resources', 'package-lock.json'],
} as const;

type Room = keyof typeof sources;

/**
 * Builds `renderer` or `web` as it is now, once for all test files: a build is named by what it was made of, so that no
 * test ever sees an old one, and takes as long as many a test.
 */
export function buildPages(room: Room): Promise<BuiltPages> {
  return cached(room, (fresh) => buildInto(room, fresh));
}

/** Keeps the pages that were built into a folder just now, so that tests need not build them once more. */
export async function keepPages(room: Room, built: string): Promise<void> {
  await cached(room, (fresh) => cp(built, fresh, { recursive: true }));
}

async function cached(room: Room, make: (fresh: string) => Promise<void>): Promise<BuiltPages> {
  const folder = join(cache, `${room}-${await fingerprint(room)}`);
  if (await exists(folder)) return { folder };
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, `new-${room}-`));
  try {
    await make(fresh);
    for (const name of await readdir(cache)) {
      if (name.startsWith(`${room}-`) && (await isOld(join(cache, name)))) await rm(join(cache, name), { recursive: true, force: true });
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

async function buildInto(room: Room, folder: string): Promise<void> {
  const { build } = await import('vite');
  // Vitest's own "test" would build React for developers: slower, larger, and not what people get.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(root, room, 'vite.config.ts'), logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
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

async function fingerprint(room: Room): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources[room]) await take(join(root, source));
  return hash.digest('hex').slice(0, 16);

  async function take(path: string): Promise<void> {
    if (!(await stat(path)).isDirectory()) {
      hash.update(`${path}\n`).update(await readFile(path));
      return;
    }
    const names = (await readdir(path)).filter((name) => name !== 'dist' && name !== 'node_modules');
    for (const name of names.sort()) await take(join(path, name));
  }
}
