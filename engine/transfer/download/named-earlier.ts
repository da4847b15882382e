import { joinedDigests } from '#client/chunks.ts';
import { openFlags } from '#filesystem/flags.ts';
import { readFullyNow } from '#filesystem/fully.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { smallFileSize } from '#protocol/limits.ts';
import { closeReadNow } from '../../folders/close-read.ts';
import { blake3Hex } from '../../io/digests.ts';
import { type FileRecord, storedFileOf } from '../record.ts';

/** FAT keeps every other second. */
const coarsestTimeMs = 2_000;

/** Digest of a file of one chunk. */
export const digestOfOne = (blake3: string): string => `blake3:${blake3Hex(joinedDigests([blake3]))}`;

/** Whether a file gets its name without a note before: what a crash leaves is known by its digest (docs/decisions/0118). */
export const isKnownByDigest = (file: FileRecord): boolean => {
  const { digest, chunkSize } = storedFileOf(file);
  return file.kind === 'file' && digest !== undefined && file.size > 0 && file.size <= Math.min(smallFileSize, chunkSize);
};

/**
 * Whether a run before this one had given the file its name when it was broken off: its size, time and bytes are there.
 * Then its temporary file is removed, if that is left.
 */
export function wasNamedEarlier(
  file: FileRecord,
  { target, temporary }: { readonly target: string; readonly temporary: string },
  fileSystem: FileSystem,
): boolean {
  if (!isKnownByDigest(file)) return false;
  const there = fileSystem.lstatNow(target);
  if (!there?.isFile() || there.size !== file.size || Math.abs(there.mtimeMs - file.modifiedAt) > coarsestTimeMs) return false;
  const bytes = bytesOf(target, file.size, fileSystem);
  if (bytes === null || digestOfOne(blake3Hex(bytes)) !== storedFileOf(file).digest) return false;
  fileSystem.removeNow(temporary);
  return true;
}

/** `null`: they cannot be read. Whoever writes there next meets the reason. */
function bytesOf(path: string, size: number, fileSystem: FileSystem): Buffer | null {
  try {
    const file = fileSystem.openNow(path, openFlags.readOwn);
    try {
      const bytes = Buffer.allocUnsafe(size);
      return readFullyNow(file, bytes, size, 0) === size ? bytes : null;
    } finally {
      closeReadNow(file);
    }
  } catch {
    return null;
  }
}
