import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/longshore-test');

/** A folder that takes long to make, and what it depends on: it is made once, and again when any of that has changed. */
export interface CachedFolder {
  readonly name: string;
  /** Files, or folders of files, of the project. */
  readonly sources: readonly string[];
  /** Whatever else it is made of. */
  readonly of: unknown;
  make(folder: string): Promise<void>;
}

/** Puts a copy of a kept folder at `to`. */
export async function copyCached(kept: CachedFolder, to: string): Promise<void> {
  const whole = join(cache, `${kept.name}-${await fingerprint(kept)}`);
  if (!(await exists(whole))) await make(kept, whole);
  await copyFolder(whole, to);
}

/** Copies a folder to `to`, which is not there. Owners are kept, since as root a database belongs to another user. */
async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await run('cp', ['-a', from, to]);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function fingerprint({ sources, of }: CachedFolder): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(of));
  for (const source of sources) {
    const path = join(root, source);
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile())
      : [null];
    for (const entry of names) hash.update(await readFile(entry ? join(path, entry.name) : path));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Test files run at the same time: one makes it, the others wait for the rename. */
async function make(kept: CachedFolder, whole: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const claim = `${whole}.making`;
  const mine = await mkdir(claim).then(
    () => true,
    () => false,
  );
  const until = Date.now() + 30_000;
  while (!mine && Date.now() < until) {
    if (await exists(whole)) return;
    await sleep(20);
  }
  // Nobody finished in time: perhaps the one who claimed it was killed.
  const fresh = await mkdtemp(join(cache, 'new-'));
  try {
    if (process.getuid?.() === 0) await chmod(fresh, 0o711);
    await kept.make(fresh);
    await removeOthers(kept.name, whole);
    await rename(fresh, whole).catch(async (error: unknown) => {
      if (!(await exists(whole))) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(claim, { recursive: true, force: true });
  }
}

/** Milliseconds for which another run may still be copying one. */
const inUse = 60 * 60_000;

/** Of earlier states of the sources; not of runs under way, which have other names or are young. */
async function removeOthers(kept: string, whole: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const another = name.startsWith(`${kept}-`) && path !== whole && !name.endsWith('.making');
    const old = another && Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now()) > inUse;
    if (old) await rm(path, { recursive: true, force: true });
  }
}
