import { dirname, join } from 'node:path';
import { openFlags } from '#filesystem/flags.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { comparison } from './compare.ts';
import { damagedMark, type PartFile, parsePartFile } from './layout.ts';
import type { Stretch } from './ranges.ts';

/**
 * Large parts for receivers that do not compare by themselves, which are browsers: the digest is made of the bytes as they go
 * out, and the last piece of a damaged part never does. The connection is cut instead, so a browser tells of a failed download.
 */

/** Of a part that is gone on with, the bytes before are read again for their digest: of larger parts in bytes they are not. */
const rereadSize = 128 * 1024 * 1024;
const pieceSize = 1024 * 1024;

interface Compared {
  /** Bytes that are about to go out, in order. Throws `object_damaged` in place of the last ones of a damaged part. */
  readonly add: (bytes: Buffer) => Promise<void>;
}

export const uncompared: Compared = { add: async () => undefined };

/** Compares a stretch to the end of its part; `opened` is its file. */
export async function comparing(files: FileSystem, path: string, opened: OpenFile, { file, offset, length }: Stretch): Promise<Compared> {
  const part = parsePartFile(file);
  if (!part || offset + length !== part.size || (offset > 0 && part.size > rereadSize)) return uncompared;
  const digest = comparison(part);
  for await (const piece of piecesOf(opened, offset)) digest.add(piece);
  let left = length;
  return {
    async add(bytes) {
      digest.add(bytes);
      left -= bytes.length;
      if (left > 0) return;
      try {
        digest.end();
      } catch (error) {
        // Where that fails, whoever asks next is sent it up to here again.
        await withhold(files, path, part).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** The first `size` bytes of a file; less where it is shorter. */
async function* piecesOf(opened: OpenFile, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return;
  const buffer = Buffer.allocUnsafeSlow(Math.min(pieceSize, size));
  for (let done = 0; done < size; ) {
    const bytesRead = await opened.read(buffer, 0, Math.min(buffer.length, size - done), done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Has the object of a part refused from now on, as a check does (service/integrity/): a browser that goes on with a download
 * that was cut would get the rest. Not where the file, read once more, is whole: the byte was changed in memory.
 */
async function withhold(files: FileSystem, path: string, part: PartFile): Promise<void> {
  const opened = await files.open(path, openFlags.read);
  const repeated = comparison(part);
  try {
    for await (const piece of piecesOf(opened, part.size)) repeated.add(piece);
  } finally {
    await opened.close();
  }
  try {
    repeated.end();
  } catch {
    const mark = await files.open(join(dirname(path), damagedMark), openFlags.writeOwnOrCreate, 0o600);
    try {
      await mark.write([Buffer.from('Found damaged while it was sent.\n')], 0);
      await mark.flush();
    } finally {
      await mark.close();
    }
  }
}
