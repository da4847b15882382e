import { sep } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import { readFullyNow, writeFully } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { type PackedPart, parseSegmentTail, segmentTail, usualTail } from '../../segments/format.ts';
import { randomName } from '../disk.ts';

interface NewSegment {
  readonly segment: string;
  /** The bytes of the parts, in their order. */
  readonly pieces: readonly Uint8Array[];
  readonly parts: readonly PackedPart[];
}

export const segmentPath = (folder: string, segment: string): string => folder + sep + segment;

/** A segment's name while it is written; those that a crash left are deleted at the start. */
export const isTemporary = (name: string): boolean => name.startsWith('.');

/** Writes a segment under a temporary name, then renames it to `path`. Rejects with the file system's error; nothing is kept then. */
export async function writeSegment(
  files: FileSystem,
  { segment, pieces, parts }: NewSegment,
  { folder, path, flush }: { readonly folder: string; readonly path: string; readonly flush: boolean },
): Promise<void> {
  const temporary = `${folder}${sep}.${randomName()}`;
  try {
    const file = files.openNow(temporary, openFlags.create, 0o600);
    try {
      await writeFully(file, [...pieces, segmentTail(segment, parts)], 0);
      if (flush) await file.flush();
    } finally {
      file.closeNow();
    }
    files.rename(temporary, path);
  } catch (error) {
    files.removeNow(temporary);
    throw error;
  }
}

/** Opens a segment for the duration of `work`. Throws the file system's error. */
export function withSegment<T>(files: FileSystem, path: string, work: (file: OpenFile) => T): T {
  const file = files.openNow(path, openFlags.readOwn);
  try {
    return work(file);
  } finally {
    file.closeNow();
  }
}

/** The parts of a segment, ascending by offset; `null` where the file is not whole. Throws the file system's error. */
export function readSegmentIndex(file: OpenFile, segment: string): PackedPart[] | null {
  const { size } = file.statNow();
  const parsed = parseSegmentTail(segment, readTail(file, size, usualTail), size);
  if (typeof parsed !== 'number') return parsed;
  const reparsed = parseSegmentTail(segment, readTail(file, size, parsed), size);
  return typeof reparsed === 'number' ? null : reparsed;
}

function readTail(file: OpenFile, size: number, length: number): Buffer {
  const wanted = Math.min(size, length);
  const tail = Buffer.allocUnsafe(wanted);
  return tail.subarray(0, readFullyNow(file, tail, wanted, size - wanted));
}

/** The parts of a segment; `null` where the file is not whole. Throws the file system's error. */
export const partsOfSegment = (files: FileSystem, path: string, segment: string): PackedPart[] | null =>
  withSegment(files, path, (file) => readSegmentIndex(file, segment));
