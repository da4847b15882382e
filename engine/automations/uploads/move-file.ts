import { basename, dirname, extname, join } from 'node:path';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully } from '#filesystem/fully.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { systemCode } from '../../errors.ts';
import { temporaryPrefix } from '../../folders/temporary-name.ts';
import { secondsOf } from '../../io/file-time.ts';
import { publishFile } from '../../io/publish-file.ts';
import { contentOf } from './content.ts';

/** Moving and deleting a file that was sent, so that a crash at any point loses nothing and doubles nothing. */

/** The file that was sent: nothing is touched that is not it. */
export interface SentFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** Inode, as text. */
  readonly ino: string;
}

export function isSentFile(found: FileStats | null, { size, mtimeMs, ino }: SentFile): found is FileStats {
  return found?.isFile() === true && found.size === size && found.mtimeMs === mtimeMs && String(found.ino) === ino;
}

/** A name for `path` that is free now: itself, `name (2).mov`, … */
export function freeTarget(path: string, fileSystem: FileSystem): string {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${stem} (${number})${ending}`;
    if (fileSystem.lstatNow(candidate) === null) return candidate;
  }
}

/**
 * Deletes the file if it is the one that was sent, as its open descriptor tells.
 *
 * @returns `gone`: nothing was there; `changed`: another file or version is there, and stays
 */
export function deleteSent(path: string, sent: SentFile, fileSystem: FileSystem): 'deleted' | 'gone' | 'changed' {
  let file: ReturnType<FileSystem['openNow']>;
  try {
    file = fileSystem.openNow(path, openFlags.readOwn);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT' || systemCode(cause) === 'ENOTDIR') return 'gone';
    if (systemCode(cause) === 'ELOOP') return 'changed';
    throw cause;
  }
  try {
    const opened = file.statNow();
    const named = fileSystem.lstatNow(path);
    if (!isSentFile(opened, sent) || named?.ino !== opened.ino || named.dev !== opened.dev) return 'changed';
    fileSystem.unlink(path);
    return 'deleted';
  } finally {
    file.closeNow();
  }
}

/**
 * Moves the file to a name that is free (`EEXIST` if it is taken by then), on the same disk by its name, to another one by
 * copy, comparison and deletion. Asked again after a crash it goes on where it stopped.
 *
 * @returns as `deleteSent`
 */
export async function moveSent(
  from: string,
  to: string,
  sent: SentFile,
  fileSystem: FileSystem,
  signal: AbortSignal,
): Promise<'moved' | 'gone' | 'changed'> {
  const there = fileSystem.lstatNow(from);
  const moved = fileSystem.lstatNow(to);
  if (there === null) return moved?.isFile() && moved.size === sent.size ? 'moved' : 'gone';
  if (!isSentFile(there, sent)) return 'changed';
  makeDirs(dirname(to), undefined, fileSystem);
  try {
    return moveOnDisk(from, to, sent, fileSystem);
  } catch (cause) {
    if (systemCode(cause) !== 'EXDEV') {
      const isOurCopy = systemCode(cause) === 'EEXIST' && moved?.isFile() && moved.dev !== there.dev && moved.size === sent.size;
      if (!isOurCopy) throw cause;
    }
  }
  if (moved === null) await copyTo(from, to, sent, fileSystem, signal);
  // Of a crash between the copy's two names.
  else fileSystem.removeNow(temporaryFor(to, sent));
  if (moved !== null && (await contentOf(from, fileSystem, signal)) !== (await contentOf(to, fileSystem, signal))) {
    throw Object.assign(new Error(`there is another file at ${to}`), { code: 'EEXIST' });
  }
  const deleted = deleteSent(from, sent, fileSystem);
  if (deleted === 'changed') fileSystem.removeNow(to);
  return deleted === 'changed' ? 'changed' : 'moved';
}

/** Errors of file systems without hard links: FAT, some network drives. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/**
 * By a second name, which is looked at before the first goes: a version that came in at this moment stays. Where a crash
 * has left both names, only the old one goes.
 */
function moveOnDisk(from: string, to: string, sent: SentFile, fileSystem: FileSystem): 'moved' | 'changed' {
  try {
    fileSystem.link(from, to);
  } catch (cause) {
    if (noLinks.has(systemCode(cause))) {
      publishFile(from, to, false, fileSystem);
      return 'moved';
    }
    if (systemCode(cause) !== 'EEXIST' || !isSentFile(fileSystem.lstatNow(to), sent)) throw cause;
  }
  const [old, named] = [fileSystem.lstatNow(from), fileSystem.lstatNow(to)];
  if (!isSentFile(named, sent)) {
    fileSystem.unlink(to);
    return 'changed';
  }
  if (old?.ino === named.ino && old.dev === named.dev) fileSystem.unlink(from);
  return 'moved';
}

const blockBytes = 1024 * 1024;

const temporaryFor = (to: string, { ino }: SentFile): string =>
  join(dirname(to), `${temporaryPrefix}${ino}-${basename(to).slice(0, 100)}.part`);

/** Copies under a temporary name, compares what the other disk has, and gives it its name. */
async function copyTo(from: string, to: string, sent: SentFile, fileSystem: FileSystem, signal: AbortSignal): Promise<void> {
  const temporary = temporaryFor(to, sent);
  fileSystem.removeNow(temporary);
  try {
    const digest = await copyBytes(from, temporary, sent, fileSystem, signal);
    if ((await contentOf(temporary, fileSystem, signal)) !== digest) {
      throw Object.assign(new Error(`the copy at ${to} is not what was written`), { code: 'EIO' });
    }
    publishFile(temporary, to, false, fileSystem);
  } catch (cause) {
    fileSystem.removeNow(temporary);
    throw cause;
  }
}

async function copyBytes(from: string, to: string, sent: SentFile, fileSystem: FileSystem, signal: AbortSignal): Promise<string> {
  const source = await fileSystem.open(from, openFlags.readOwn);
  try {
    const target = await fileSystem.open(to, openFlags.create, 0o666);
    try {
      const hasher = new Blake3Hasher();
      const block = Buffer.allocUnsafe(blockBytes);
      for (let position = 0; ; ) {
        signal.throwIfAborted();
        const count = await source.read(block, 0, blockBytes, position);
        if (count === 0) break;
        hasher.update(block.subarray(0, count));
        await writeFully(target, [block.subarray(0, count)], position);
        position += count;
      }
      await target.setTimes(secondsOf(sent.mtimeMs));
      await target.flush();
      return `blake3:${hasher.digest('hex')}`;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
