import { dirname } from 'node:path';
import { TransferError } from '#client/errors.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFullyNow, writeFullyNow } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { codeOf, targetFailure } from '../disk-failures.ts';
import { secondsOf } from '../file-time.ts';
import { publishFile } from '../publish-file.ts';
import type { DiskSink } from '../sink.ts';
import type { FolderFlush } from '../sync-folder.ts';

/**
 * The sink of a small file. Its bytes go to the temporary file in one synchronous call each time, so that none of ten
 * thousand small files needs a round through the thread pool.
 */
export function createSmallSink(
  temporary: string,
  size: number,
  {
    flushFolder,
    opened,
    fileSystem,
  }: {
    readonly flushFolder: FolderFlush;
    readonly opened: ((file: OpenFile) => void) | undefined;
    readonly fileSystem: FileSystem;
  },
): DiskSink {
  let writing: OpenFile | null = null;

  const open = (): OpenFile => {
    if (writing) return writing;
    const file = fileSystem.openNow(temporary, openFlags.writeOwnOrCreate, 0o666);
    try {
      opened?.(file);
    } catch (error) {
      file.closeNow();
      throw error;
    }
    writing = file;
    return file;
  };
  const close = (): void => {
    const file = writing;
    writing = null;
    file?.closeNow();
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
    write: (buffers, position) => orTargetFailure(temporary, () => writeFullyNow(open(), buffers, position)),
    async read(buffer, length, position) {
      orTargetFailure(temporary, () => readBack(fileSystem, temporary, buffer, length, position));
    },
    async commit(target, { mtimeMs, durable, replace = false }) {
      orTargetFailure(target, () => {
        const file = open();
        const written = file.statNow().size;
        if (written < size) throw shorter(temporary);
        if (written > size) file.truncateNow(size);
        file.setTimesNow(secondsOf(mtimeMs));
      });
      // Not synchronous: an fsync may take long, and other files continue meanwhile.
      if (durable)
        await open()
          .flush()
          .catch((error: unknown) => {
            throw targetFailure(temporary, error);
          });
      orTargetFailure(target, () => {
        close();
        publishFile(temporary, target, replace, fileSystem);
      });
      if (durable)
        await flushFolder(dirname(target)).catch((error: unknown) => {
          throw targetFailure(target, error);
        });
    },
    async discard() {
      close();
      orTargetFailure(temporary, () => fileSystem.removeNow(temporary));
    },
    async close() {
      close();
    },
  };
}

function readBack(fileSystem: FileSystem, path: string, buffer: Buffer, length: number, position: number): void {
  let file: OpenFile;
  try {
    file = fileSystem.openNow(path, openFlags.readOwn);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw shorter(path);
    throw error;
  }
  try {
    if (readFullyNow(file, buffer, length, position) < length) throw shorter(path);
  } finally {
    file.closeNow();
  }
}

function shorter(path: string): TransferError {
  return new TransferError('file_changed', `${path} is shorter than what was written to it. Something else changed it.`);
}
