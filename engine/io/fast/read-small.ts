import type { Slice } from '#client/ports.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFullyNow } from '#filesystem/fully.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { closeReadNow } from '../../folders/close-read.ts';
import { changed, sourceFailure } from '../disk-failures.ts';
import { type FileStamp, stampOf } from '../file-stamp.ts';

/** How a file looked at the scan, and whether one that was found is the same. */
export interface Expected {
  readonly stamp: FileStamp;
  readonly isAsExpected: (scanned: FileStamp, found: FileStamp) => boolean;
}

/** Reads and checks a small slice with synchronous calls: for small files that costs a third less CPU. */
export function readSmallNow(fileSystem: FileSystem, path: string, expected: Expected, slice: Slice, buffer: Buffer): void {
  try {
    readChecked(fileSystem, path, expected, slice, buffer);
  } catch (error) {
    throw sourceFailure(path, error);
  }
}

function readChecked(fileSystem: FileSystem, path: string, { stamp, isAsExpected }: Expected, slice: Slice, buffer: Buffer): void {
  const file = fileSystem.openNow(path, openFlags.read);
  try {
    if (!isAsExpected(stamp, stampOf(file.statNow()))) throw changed(path);
    if (readFullyNow(file, buffer, slice.length, slice.offset) < slice.length) throw changed(path);
    if (!isAsExpected(stamp, stampOf(file.statNow()))) throw changed(path);
  } finally {
    closeReadNow(file);
  }
}
