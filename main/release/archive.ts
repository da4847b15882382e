import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

/**
 * Packs a folder so that the same contents give the same bytes: names in order, one time, one owner, no name of the machine.
 *
 * @param seconds the time of every entry, since 1970
 * @param quick compress little
 * @throws Error where there is no GNU tar
 */
export async function packArchive(folder: string, file: string, seconds: number, quick: boolean): Promise<void> {
  const tar = spawn(
    'tar',
    [
      ...['--create', '--format=gnu', '--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner'],
      ...['-C', dirname(folder), basename(folder)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LC_ALL: 'C' } },
  );
  const ended = once(tar, 'exit');
  await pipeline(tar.stdout, createGzip({ level: quick ? constants.Z_BEST_SPEED : constants.Z_BEST_COMPRESSION }), createWriteStream(file));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar failed (${code}). It has to be GNU tar, as on Debian.`);
}
