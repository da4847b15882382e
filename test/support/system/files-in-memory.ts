import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { soaking } from '../faults/seeds.ts';
import { removeAfterUs } from '../service/databases/remove-after-exit.ts';
import { diskVariable } from './temp-folder.ts';

/** Linux's folder in memory. */
const memory = '/dev/shm';

/** Many times what the tests of a run keep there at once. */
const enough = 8 * 1024 ** 3;

/**
 * Vitest's global setup: temporary files of a run are kept in memory where there is room for them, as flushing them to a
 * disk is an eighth of what some tests take. What is about a disk asks for one (`diskFolder` in temp-folder.ts), and
 * whoever says `TMPDIR` has all of it there. A soak writes more than fits.
 */
export default async function keepFilesInMemory(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TMPDIR'] !== undefined || soaking || !(await isRoomy())) return undefined;
  // Short, for the sockets in it.
  const folder = await mkdtemp(join(memory, 'ls-'));
  const forget = removeAfterUs(folder);
  // As root, PostgreSQL runs as another user, who has to pass through.
  await chmod(folder, 0o711);
  process.env[diskVariable] = tmpdir();
  process.env['TMPDIR'] = folder;
  return async () => {
    delete process.env['TMPDIR'];
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    forget();
  };
}

async function isRoomy(): Promise<boolean> {
  if (process.platform !== 'linux' || !existsSync(memory)) return false;
  const { bavail, bsize } = await statfs(memory);
  return bavail * bsize > enough && freemem() > enough;
}
