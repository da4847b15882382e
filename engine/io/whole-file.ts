import * as fs from 'node:fs';
import type { AtOnce } from '#disk/at-once.ts';
import { quickFlushes } from '#disk/quick-flushes.ts';
import { codeOf, targetFailure } from './disk-failures.ts';

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = fs.constants;

/** What a small file that is there whole is written by. */
export interface WholeFileOptions {
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Told of the file once it is open, before anything is written to it; what it throws keeps it from being written. */
  readonly opened?: ((descriptor: number) => void) | undefined;
}

/**
 * Writes a temporary file that was not there, by synchronous calls; what an earlier run has left under its name goes.
 * Gives its descriptor, which is to be flushed and closed. Nothing is left of one that fails. Throws `MoveError`s.
 */
export function writeWhole(temporary: string, bytes: Buffer, { mtimeMs, opened }: WholeFileOptions): number {
  let fd: number | null = null;
  try {
    fd = openNew(temporary);
    opened?.(fd);
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, done);
    fs.futimesSync(fd, mtimeMs / 1_000, mtimeMs / 1_000);
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

/** Makes a file safe from a power cut and closes it; `undefined`: at once. Throws or rejects with `MoveError`s. */
export type Flush = (temporary: string, descriptor: number) => Promise<void> | undefined;

/** Flushes at once while the disk is quick, else by other threads. */
export function createFlush(atOnce: AtOnce = quickFlushes()): Flush {
  return (temporary, fd) => {
    let close = true;
    try {
      if (atOnce(() => flushed(fd))) return undefined;
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
