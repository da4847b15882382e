import * as fs from 'node:fs';
import { createSyncFsync } from '#filesystem/sync-fsync.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { codeOf, targetFailure } from './disk-failures.ts';
import { secondsOf } from './file-time.ts';

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = fs.constants;

/** Options for writing a small file that is complete in memory. */
interface WholeFileOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Called with the file once it is open and before anything is written to it; if it throws, nothing is written. */
  readonly opened?: ((descriptor: number) => void) | undefined;
}

/**
 * Writes a new temporary file with synchronous calls; a file of an earlier run with this name is deleted. Returns its
 * descriptor, which must be flushed and closed. A failed write leaves nothing. Throws `TransferError`s.
 */
export function writeWhole(temporary: string, bytes: Buffer, { mtimeMs, opened }: WholeFileOptions): number {
  let fd: number | null = null;
  try {
    fd = openNew(temporary);
    opened?.(fd);
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, done);
    const seconds = secondsOf(mtimeMs);
    fs.futimesSync(fd, seconds, seconds);
    return fd;
  } catch (error) {
    if (fd !== null) {
      fs.closeSync(fd);
      fs.rmSync(temporary, { force: true });
    }
    throw targetFailure(temporary, error);
  }
}

function openNew(temporary: string): number {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  try {
    return fs.openSync(temporary, flags, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    fs.rmSync(temporary, { force: true });
    return fs.openSync(temporary, flags, 0o666);
  }
}

/**
 * Flushes a file, so that it survives a power failure, and closes it; `undefined` if that was done synchronously.
 * Throws or rejects with `TransferError`s.
 */
export type Flush = (temporary: string, descriptor: number) => Promise<void> | undefined;

/** Flushes synchronously while the disk is fast, otherwise with other threads. */
export function createFlush(syncWhenFast: SyncWhenFast = createSyncFsync()): Flush {
  return (temporary, fd) => {
    let close = true;
    try {
      if (syncWhenFast(() => flushed(fd))) return undefined;
      close = false;
      return byOthers(temporary, fd);
    } catch (error) {
      throw targetFailure(temporary, error);
    } finally {
      if (close) fs.closeSync(fd);
    }
  };
}

function flushed(fd: number): true {
  fs.fsyncSync(fd);
  return true;
}

function byOthers(temporary: string, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => {
      fs.close(fd, () => (error ? reject(targetFailure(temporary, error)) : resolve()));
    });
  });
}
