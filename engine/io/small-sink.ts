import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { secondsOf } from './file-time.ts';
import { publishFile } from './publish-file.ts';
import type { DiskSink } from './sink.ts';
import type { FolderFlush } from './sync-folder.ts';

const { O_CREAT, O_RDONLY, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
/** Neither follows a link nor blocks on a pipe that has replaced the file. */
const ownFile = O_NOFOLLOW | O_NONBLOCK;

/**
 * The sink of a small file. Its bytes go to the temporary file in one synchronous call each time, so that none of ten
 * thousand small files needs a round through the thread pool.
 */
export function createSmallSink(
  temporary: string,
  size: number,
  { flushFolder, opened }: { readonly flushFolder: FolderFlush; readonly opened: ((descriptor: number) => void) | undefined },
): DiskSink {
  let writing: number | null = null;

  const descriptor = (): number => {
    if (writing !== null) return writing;
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | ownFile, 0o666);
    try {
      opened?.(fd);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    writing = fd;
    return fd;
  };
  const close = (): void => {
    const fd = writing;
    writing = null;
    if (fd !== null) fs.closeSync(fd);
  };
  const orTargetFailure = <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw targetFailure(path, error);
    }
  };

  return {
    temporary,
    size,
    write: (buffers, position) =>
      orTargetFailure(temporary, () => {
        const fd = descriptor();
        let at = position;
        for (const buffer of buffers) {
          for (let done = 0; done < buffer.length; ) {
            const written = fs.writeSync(fd, buffer, done, buffer.length - done, at);
            done += written;
            at += written;
          }
        }
      }),
    async read(buffer, length, position) {
      orTargetFailure(temporary, () => readBack(temporary, buffer, length, position));
    },
    async commit(target, { mtimeMs, durable, replace = false }) {
      orTargetFailure(target, () => {
        const fd = descriptor();
        const written = fs.fstatSync(fd).size;
        if (written < size) throw shorter(temporary);
        if (written > size) fs.ftruncateSync(fd, size);
        const seconds = secondsOf(mtimeMs);
        fs.futimesSync(fd, seconds, seconds);
      });
      if (durable) await synced(temporary, descriptor());
      orTargetFailure(target, () => {
        close();
        publishFile(temporary, target, replace);
      });
      if (durable)
        await flushFolder(dirname(target)).catch((error: unknown) => {
          throw targetFailure(target, error);
        });
    },
    async discard() {
      close();
      orTargetFailure(temporary, () => fs.rmSync(temporary, { force: true }));
    },
    async close() {
      close();
    },
  };
}

function readBack(path: string, buffer: Buffer, length: number, position: number): void {
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | ownFile);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw shorter(path);
    throw error;
  }
  try {
    for (let done = 0; done < length; ) {
      const count = fs.readSync(fd, buffer, done, length - done, position + done);
      if (count === 0) throw shorter(path);
      done += count;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Not synchronous: an fsync may take long, and other files continue meanwhile. */
function synced(path: string, fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fsync(fd, (error) => (error ? reject(targetFailure(path, error)) : resolve())));
}

function shorter(path: string): TransferError {
  return new TransferError('file_changed', `${path} is shorter than what was written to it. Something else changed it.`);
}
