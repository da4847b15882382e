import { isFast } from '#filesystem/fast.ts';
import { openFlags } from '#filesystem/flags.ts';
import { writeFully } from '#filesystem/fully.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { createSyncFsync } from '#filesystem/sync-fsync.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { type WholeFileOptions, writeWholeNow } from './fast/write-whole.ts';
import { secondsOf } from './file-time.ts';

/**
 * Writes a new temporary file; a file of an earlier run with this name is deleted. Returns it open: it must be flushed and
 * closed. A failed write leaves nothing. Throws or rejects with `TransferError`s.
 */
export const writeWhole: (temporary: string, bytes: Buffer, options: WholeFileOptions) => OpenFile | Promise<OpenFile> = isFast
  ? writeWholeNow
  : writeWholeByOthers;

/** The same as `writeWholeNow` by other threads. */
export async function writeWholeByOthers(
  temporary: string,
  bytes: Buffer,
  { mtimeMs, opened, fileSystem = nodeFileSystem }: WholeFileOptions,
): Promise<OpenFile> {
  let file: OpenFile | null = null;
  try {
    file = await openNew(fileSystem, temporary);
    opened?.(file);
    await writeFully(file, [bytes], 0);
    await file.setTimes(secondsOf(mtimeMs));
    return file;
  } catch (error) {
    if (file) {
      await file.close();
      await fileSystem.remove(temporary);
    }
    throw targetFailure(temporary, error);
  }
}

async function openNew(fileSystem: FileSystem, temporary: string): Promise<OpenFile> {
  try {
    return await fileSystem.open(temporary, openFlags.create, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await fileSystem.remove(temporary);
    return fileSystem.open(temporary, openFlags.create, 0o666);
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
