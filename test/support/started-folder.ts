import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type OwnerOptions, startService } from '#service/server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/longshore-test');

/** What a started folder depends on. */
const sources = [
  'service/database/migrations',
  'service/database/private-postgres.ts',
  'service/accounts/first-start.ts',
  'service/data-folder.ts',
  'storage/local/layout.ts',
  'package-lock.json',
];

/**
 * Puts a copy of a data folder at `to` that has had its first start with this owner: making a PostgreSQL
 * takes most of a start's time, so it is done once and kept until what it depends on changes.
 */
export async function copyStartedFolder(to: string, owner: OwnerOptions): Promise<void> {
  const started = join(cache, `${await fingerprint(owner)}`);
  if (!(await exists(started))) await make(started, owner);
  // Owners are kept, since as root the database belongs to another user.
  if (process.platform === 'win32') await cp(started, to, { recursive: true });
  else await run('cp', ['-a', started, to]);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function fingerprint(owner: OwnerOptions): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(owner));
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
async function make(started: string, owner: OwnerOptions): Promise<void> {
  await mkdir(cache, { recursive: true });
  const claim = `${started}.making`;
  const mine = await mkdir(claim).then(
    () => true,
    () => false,
  );
  const until = Date.now() + 30_000;
  while (!mine && Date.now() < until) {
    if (await exists(started)) return;
    await sleep(20);
  }
  // Nobody finished in time: perhaps the one who claimed it was killed.
  const dataDir = await mkdtemp(join(cache, 'new-'));
  try {
    if (process.getuid?.() === 0) await chmod(dataDir, 0o711);
    const service = await startService({ listen: { host: '127.0.0.1', port: 0 }, dataDir, owner, logLevel: 'error' });
    await service.close();
    await removeOthers(started);
    await rename(dataDir, started).catch(async (error: unknown) => {
      if (!(await exists(started))) throw error;
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await rm(claim, { recursive: true, force: true });
  }
}

/** Of earlier states of the sources; not of runs under way, which have other names. */
async function removeOthers(started: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (/^[0-9a-f]{16}$/.test(name) && join(cache, name) !== started) await rm(join(cache, name), { recursive: true, force: true });
  }
}
