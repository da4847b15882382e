import { openFlags } from '#filesystem/flags.ts';
import { writeFullyNow } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { createSyncFsync } from '#filesystem/sync-fsync.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { secondsOf } from './file-time.ts';

/** Options for writing a small file that is complete in memory. */
interface WholeFileOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Called with the file once it is open and before anything is written to it; if it throws, nothing is written. */
  readonly opened?: ((file: OpenFile) => void) | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Writes a new temporary file with synchronous calls; a file of an earlier run with this name is deleted. Returns it open:
 * it must be flushed and closed. A failed write leaves nothing. Throws `TransferError`s.
 */
export function writeWhole(temporary: string, bytes: Buffer, { mtimeMs, opened, fileSystem = nodeFileSystem }: WholeFileOptions): OpenFile {
  let file: OpenFile | null = null;
  try {
    file = openNew(fileSystem, temporary);
    opened?.(file);
    writeFullyNow(file, [bytes], 0);
    file.setTimesNow(secondsOf(mtimeMs));
    return file;
  } catch (error) {
    if (file) {
      file.closeNow();
      fileSystem.removeNow(temporary);
    }
    throw targetFailure(temporary, error);
  }
}

function openNew(fileSystem: FileSystem, temporary: string): OpenFile {
  try {
    return fileSystem.openNow(temporary, openFlags.create, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    fileSystem.removeNow(temporary);
    return fileSystem.openNow(temporary, openFlags.create, 0o666);
  }
}

/**
 * Flushes a file, so that it survives a power failure, and closes it; `undefined` if that was done synchronously.
 * Throws or rejects with `TransferError`s.
 */
export type Flush = (temporary: string, file: OpenFile) => Promise<void> | undefined;

/** Flushes synchronously while the disk is fast, otherwise with other threads. */
export function createFlush(syncWhenFast: SyncWhenFast = createSyncFsync()): Flush {
  return (temporary, file) => {
    let close = true;
    try {
      if (syncWhenFast(() => flushed(file))) return undefined;
      close = false;
      return byOthers(temporary, file);
    } catch (error) {
      throw targetFailure(temporary, error);
    } finally {
      if (close) file.closeNow();
    }
  };
}

function flushed(file: OpenFile): true {
  file.flushNow();
  return true;
}

async function byOthers(temporary: string, file: OpenFile): Promise<void> {
  try {
    await file.flush();
  } catch (error) {
    throw targetFailure(temporary, error);
  } finally {
    await file.close().catch(() => undefined);
  }
}
